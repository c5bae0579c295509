"""Kills the service and the brokers in turn while devices move: a part of run.py.

Afterwards every event is in every broker, in the order of its device, and nothing else. What came twice is counted.
"""

import json
import random
import time
from collections import Counter

import readers
import servers
import world

DEVICES = [f"van/{number}" for number in range(6)]
# A broker that is back takes what has waited with the first message that succeeds: after 5 min and a fifth more at the
# latest, by the schedule.
LONGEST = 480


class Fleet:
    """Devices that cross the border of the region, all with times of their own that go on."""

    def __init__(self):
        self.times = {device: int(time.time()) - 40 * 86_400 for device in DEVICES}
        self.inside = dict.fromkeys(DEVICES, False)

    def move(self, service, device):
        """Crosses the border three times, so that several messages of the device wait where a broker is away."""
        start = self.times[device]
        is_inside = not self.inside[device]
        crossings = (is_inside, not is_inside, is_inside)
        service.send(device, [(start + 600 * crossing + 60 * number, inside)
                              for crossing, inside in enumerate(crossings) for number in range(5)])
        self.times[device], self.inside[device] = start + 1800, is_inside


def kill(victim, service, chance):
    """Kills the service or a broker, and starts it again after a moment."""
    if victim is service:
        service.kill()
        time.sleep(chance.uniform(0, 0.5))
        service.start()
    elif victim.name == "kafka":
        # It keeps nothing, so that it is only silent for a while.
        victim.pause(True)
        time.sleep(chance.uniform(0.5, 3))
        victim.pause(False)
    else:
        victim.kill()
        time.sleep(chance.uniform(0, 1.5))
        victim.start()


def run(program, folder, running, rounds, seed):
    """The series. Ends with an exit where anything is lost, foreign or out of order."""
    chance = random.Random(seed)
    service = world.Service(program, folder)
    service.start()
    kills, fleet = Counter(), Fleet()
    # The messages of what came before are not of this service.
    old = {server.name: {message.id for message in readers.READ[server.name](server)} for server in running}
    try:
        service.ask("PUT", "/v1/regions/home", world.HOME)
        for server in running:
            service.add(server)
        for number in range(rounds):
            # The order of the victims is fixed, so that each has its share.
            victim = [service, *running][number % (len(running) + 1)]
            for device in chance.sample(DEVICES, 4):
                fleet.move(service, device)
            time.sleep(chance.uniform(0, 0.1))
            kill(victim, service, chance)
            kills["service" if victim is service else victim.name] += 1
            for device in chance.sample(DEVICES, 2):
                fleet.move(service, device)
        for server in running:
            servers.wait(f"the end of the deliveries to {server.name}", lambda name=server.name:
                         not service.pending(name), LONGEST)
        dead = service.all("/v1/deliveries?status=exhausted&limit=200")
        if dead:
            raise SystemExit(f"{len(dead)} messages were given up: {json.dumps(dead[0])}")
        counts = []
        for server in running:
            found = [message for message in readers.READ[server.name](server) if message.id not in old[server.name]]
            doubled = world.compare(service, server, found)
            counts.append(f"{server.name} {len(found)} messages, {doubled} of them twice")
        print(f"Seed {seed}, {rounds} faults ({', '.join(f'{name} {count}' for name, count in kills.items())}), "
              f"{len(service.events())} events: {'; '.join(counts)}; nothing is lost or out of order.")
    finally:
        if service.process and service.process.poll() is None:
            service.process.kill()
            service.process.wait()


