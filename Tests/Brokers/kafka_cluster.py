"""Runs librdkafka's cluster for tests until it is killed, and writes its port to a file: kafka_cluster.py FILE"""

import pathlib
import sys
import time

import confluent_kafka


def main():
    cluster = confluent_kafka.Producer({"bootstrap.servers": "none", "test.mock.num.brokers": 1, "log_level": 0})
    [broker] = cluster.list_topics(timeout=10).brokers.values()
    file = pathlib.Path(sys.argv[1])
    (file.parent / "new").write_text(str(broker.port))
    (file.parent / "new").rename(file)
    while True:
        cluster.poll(1)
        time.sleep(1)


if __name__ == "__main__":
    main()
