"""A mail server on loopback that writes each received mail to a file in a folder. Prints its port."""
import asyncio, os, sys, time
from aiosmtpd.controller import Controller

folder = sys.argv[1]
refuse = {"left": int(sys.argv[2]) if len(sys.argv) > 2 else 0}


class Keep:
    async def handle_DATA(self, server, session, envelope):
        if refuse["left"] > 0:
            refuse["left"] -= 1
            return "451 try again later"
        name = os.path.join(folder, f"{time.time_ns()}.eml")
        with open(name, "wb") as file:
            file.write(envelope.original_content)
        return "250 kept"


controller = Controller(Keep(), hostname="127.0.0.1", port=0)
# The controller cannot tell a port that the system chose before it serves.
controller.port = int(os.environ.get("PORT", "0")) or 20000 + os.getpid() % 20000
controller.start()
print(controller.port, flush=True)
asyncio.new_event_loop().run_forever()
