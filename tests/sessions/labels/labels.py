"""Parcels of lines: the second one is made too heavy."""


class Line:
    def __init__(self, unit, word, weight):
        self.unit = unit
        self.word = word
        self.weight = weight
        self.remarks = ["packed by hand", "not weighed"]


class Parcel:
    def __init__(self, carrier, parcel_id):
        self.carrier = carrier
        self.parcel_id = parcel_id
        self.lines = []
        self.weight = 0

    def add(self, line):
        self.lines.append(line)
        self.weight += line.weight * len(self.lines)


def pack(words):
    parcel = Parcel("train", len(words))
    for number, word in enumerate(words):
        parcel.add(Line("kilogram", word, number + 1))
    return parcel


for words in (["tea"], ["jam", "rice"]):
    print(pack(words).weight)
