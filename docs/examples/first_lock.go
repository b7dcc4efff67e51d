package main

import (
	"bufio"
	"fmt"
	"log"
	"net"
)

func main() {
	gateway, err := net.Dial("tcp", "127.0.0.1:6388")
	if err != nil {
		log.Fatal(err)
	}
	defer gateway.Close() // releases the lock
	fmt.Fprint(gateway, "l\ndeploy\n10\n")
	answer, err := bufio.NewReader(gateway).ReadString('\n')
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(answer)
}
