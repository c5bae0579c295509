"""What brokers keep, as their own clients read it: nats-py, redis-py, pika and confluent-kafka."""

import asyncio
import dataclasses
import time

import confluent_kafka
import nats
import pika
import redis
from servers import PASSWORD  # noqa: F401


@dataclasses.dataclass
class Message:
    """A message in a broker: where it is, its id there, its header fields, and its body."""

    address: str
    id: str
    headers: dict
    body: bytes
    key: str = None


def with_nats(port, work, **options):
    async def run():
        client = await nats.connect(f"nats://127.0.0.1:{port}", **options)
        try:
            return await work(client)
        finally:
            await client.close()

    return asyncio.run(run())


def prepare_nats(server, subjects=("fencepost.>",), **settings):
    """A stream for the subjects."""

    async def work(client):
        await client.jetstream().add_stream(name="EVENTS", subjects=list(subjects), **settings)

    with_nats(server.port, work)


def read_nats(server):
    async def work(client):
        stream = client.jetstream()
        last = (await stream.stream_info("EVENTS")).state.last_seq
        found = []
        for number in range(1, last + 1):
            message = await stream.get_msg("EVENTS", number)
            headers = message.headers or {}
            found.append(Message(message.subject, headers.get("Nats-Msg-Id"), headers, message.data))
        return found

    return with_nats(server.port, work)


def prepare_redis(server):
    pass


def read_redis(server, pattern="fencepost*"):
    with redis.Redis(port=server.port) as client:
        found = []
        for key in sorted(client.scan_iter(pattern)):
            for number, fields in client.xrange(key):
                fields = {name.decode(): value for name, value in fields.items()}
                headers = {name: value.decode() for name, value in fields.items() if name != "body"}
                found.append((number, Message(
                    key.decode(), headers["id"], headers, fields["body"], headers.get("device"))))
        # The numbers of entries begin with the time in milliseconds.
        return [message for _, message in sorted(found, key=lambda pair: [int(part) for part in pair[0].split(b"-")])]


def with_amqp(server, work):
    connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", server.port))
    try:
        return work(connection.channel())
    finally:
        connection.close()


def prepare_amqp(server, arguments=None):
    def work(channel):
        channel.exchange_declare("fencepost", "topic", durable=True)
        channel.queue_declare("events", durable=True, arguments=arguments)
        channel.queue_bind("events", "fencepost", "fencepost.#")

    with_amqp(server, work)


def read_amqp(server):
    """Takes the messages out of the queue."""

    def work(channel):
        found = []
        while True:
            method, properties, body = channel.basic_get("events", auto_ack=True)
            if method is None:
                return found
            headers = {**(properties.headers or {}), "content-type": properties.content_type, "type": properties.type,
                       "delivery-mode": properties.delivery_mode, "app-id": properties.app_id}
            found.append(Message(
                method.routing_key, properties.message_id, headers, body, headers.get("device")))

    return with_amqp(server, work)


def prepare_kafka(server):
    pass


def read_kafka(server, topics=None):
    """Every message of the topics; of all but internal ones without a list."""
    settings = {"bootstrap.servers": f"127.0.0.1:{server.port}", "group.id": str(time.time()), "log_level": 0,
                "auto.offset.reset": "earliest", "enable.auto.commit": False}
    consumer = confluent_kafka.Consumer(settings)
    found, ends = [], {}
    for name, topic in consumer.list_topics(timeout=10).topics.items():
        for number in topic.partitions if topics is None or name in topics else ():
            partition = confluent_kafka.TopicPartition(name, number, 0)
            low, high = consumer.get_watermark_offsets(partition, timeout=10)
            if high > low:
                ends[name, number] = high
    consumer.assign([confluent_kafka.TopicPartition(*partition, 0) for partition in ends])
    end = time.monotonic() + 60
    while ends and time.monotonic() < end:
        message = consumer.poll(1)
        if message is None or message.error():
            continue
        headers = {name: value.decode() for name, value in message.headers() or []}
        key = message.key() and message.key().decode()
        found.append(Message(message.topic(), headers.get("message-id"), headers, message.value(), key))
        if message.offset() + 1 >= ends.get((message.topic(), message.partition()), 0):
            ends.pop((message.topic(), message.partition()), None)
    consumer.close()
    return found


PREPARE = {"nats": prepare_nats, "redis": prepare_redis, "amqp": prepare_amqp, "kafka": prepare_kafka}
READ = {"nats": read_nats, "redis": read_redis, "amqp": read_amqp, "kafka": read_kafka}
