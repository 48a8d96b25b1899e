"""Reads OData with python-odata: python python_odata.py SERVICE USER APP_PASSWORD SET..., every set without names. Prints a line of JSON for each set."""
import json
import sys
from decimal import Decimal

import requests
from odata import ODataService

base, user, password, *names = sys.argv[1:]
session = requests.Session()
session.auth = (user, password)
service = ODataService(base, session=session, reflect_entities=True, quiet_progress=True)
for name in names or service.entities:
    entity = service.entities[name]
    count, sums = 0, {}
    for record in service.query(entity):
        count += 1
        for field, value in record.__odata__.data.items():
            if isinstance(getattr(record, field, None), Decimal):
                sums[field] = sums.get(field, Decimal(0)) + getattr(record, field)
    print(json.dumps({"set": name, "count": count, "sums": {field: str(value) for field, value in sums.items()}}))
if not names:
    customers = service.entities["sales_customers"]
    found = service.query(customers).filter(customers.code.startswith("C")).order_by(customers.code.desc()).limit(2)
    print(json.dumps({"set": "query", "records": [record.code for record in found]}))
