"""A source and a Kafka that do as they are told."""

from streambed.ingest.interfaces import Connector
from streambed.ingest.messages import Batch


class FakeConnector(Connector):
    """Delivers the batches it was given, and remembers what it was told."""

    def __init__(self, *batches: list):
        self.batches = [Batch(list(messages)) for messages in batches]
        self.waiting = list(self.batches)
        self.settled: list[Batch] = []
        self.closed = False

    def open(self):
        pass

    def receive(self, timeout):
        return self.waiting.pop(0) if self.waiting else None

    def settle(self, batch):
        self.settled.append(batch)

    def close(self):
        self.closed = True

    @property
    def exhausted(self):
        return not self.waiting


class FakeError:
    def str(self):
        return "the record is too large"


class FakeProducer:
    """Acknowledges when it is polled; or when told to; holds no more than `room` records."""

    def __init__(self, room: int = 1000, patient: bool = False):
        self.room = room
        self.patient = patient
        self.records: list[dict] = []
        self.open: list = []
        self.most = 0
        self.fail = lambda record: False

    def produce(self, topic, value, key, headers=None, on_delivery=None):
        if len(self.open) >= self.room:
            raise BufferError
        record = {"topic": topic, "value": value, "key": key, "headers": dict(headers)}
        self.records.append(record)
        self.open.append((record, on_delivery))
        self.most = max(self.most, len(self.open))

    def poll(self, timeout):
        if not self.patient:
            self.acknowledge()

    def flush(self, timeout):
        self.poll(timeout)

    def acknowledge(self, count: int | None = None):
        for _ in range(len(self.open) if count is None else count):
            record, on_delivery = self.open.pop(0)
            on_delivery(FakeError() if self.fail(record) else None, None)

    def __len__(self):
        return len(self.open)
