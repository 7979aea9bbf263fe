"""Reads resources of Kubernetes (a list in JSON) and prints what its API would not take, a line each: unknown and missing fields, wrong types.

It uses the models that Kubernetes generates from its own description (Debian: python3-kubernetes).
"""

import json
import sys

from kubernetes import client

# The package does not know these versions yet; their fields are the same.
OLDER = {"V2HorizontalPodAutoscaler": "V2beta2HorizontalPodAutoscaler"}

api = client.ApiClient()


class Answer:
    def __init__(self, value):
        self.data = json.dumps(value)


def differences(path, given, taken):
    if isinstance(given, dict) and isinstance(taken, dict):
        for name, value in given.items():
            if name not in taken:
                yield f"{path}.{name} is unknown"
            else:
                yield from differences(f"{path}.{name}", value, taken[name])
    elif isinstance(given, list) and isinstance(taken, list) and len(given) == len(taken):
        for at, value in enumerate(given):
            yield from differences(f"{path}[{at}]", value, taken[at])
    elif type(given) is not type(taken) or given != taken:
        yield f"{path} is {given!r} and must be like {taken!r}"


def check(resource):
    name = resource["apiVersion"].split("/")[-1].capitalize() + resource["kind"]
    model = OLDER.get(name, name)
    if not hasattr(client, model):
        return [f"{name} is unknown"]
    try:
        taken = api.sanitize_for_serialization(api.deserialize(Answer(resource), model))
    except ValueError as error:
        return [f"{resource['kind']}: {error}"]
    return list(differences(resource["kind"], resource, taken))


for each in json.load(sys.stdin):
    for line in check(each):
        print(line)
