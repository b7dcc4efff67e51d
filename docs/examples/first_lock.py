import socket

with socket.create_connection(("127.0.0.1", 6388)) as gateway:
    gateway.sendall(b"l\ndeploy\n10\n")
    print(gateway.makefile().readline(), end="")
# Closing the connection has released the lock.
