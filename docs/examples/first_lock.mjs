import { connect } from "node:net";

const gateway = connect(6388, "127.0.0.1");
gateway.write("l\ndeploy\n10\n");
gateway.once("data", (answer) => {
  process.stdout.write(answer);
  gateway.destroy(); // releases the lock
});
