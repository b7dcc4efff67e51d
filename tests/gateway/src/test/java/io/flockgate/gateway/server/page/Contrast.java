package io.flockgate.gateway.server.page;

/** A script that measures the contrast of all visible text as WCAG 2 does. */
final class Contrast {
    /** Lists the texts whose contrast is below 4.5. */
    static final String TOO_LITTLE = """
            (() => {
              const colour = text => {
                const [r, g, b, a] = text.match(/[0-9.]+/g).map(Number);
                return { r, g, b, a: a ?? 1 };
              };
              const light = c => {
                const part = v => v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4;
                return 0.2126 * part(c.r) + 0.7152 * part(c.g) + 0.0722 * part(c.b);
              };
              const behind = element => {
                for (let each = element; each; each = each.parentElement) {
                  const found = colour(getComputedStyle(each).backgroundColor);
                  if (found.a === 1) {
                    return found;
                  }
                }
                return { r: 255, g: 255, b: 255 };
              };
              const poor = [];
              for (const element of document.querySelectorAll('body *')) {
                const text = [...element.childNodes].filter(n => n.nodeType === 3).map(n => n.data).join('').trim();
                if (text === '' || element.closest('noscript') || element.getClientRects().length === 0) {
                  continue;
                }
                const [one, two] = [light(colour(getComputedStyle(element).color)), light(behind(element))];
                const contrast = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
                if (contrast < 4.5) {
                  poor.push(`${text.slice(0, 40)}: ${contrast.toFixed(2)}`);
                }
              }
              return poor;
            })()""";

    private Contrast() {}
}
