"""The queries of the shipping desk."""

BY_ORDER = "SELECT id, sent_at FROM shipments WHERE order_number = %s"
BY_PARCEL = "SELECT id, sent_at FROM shipments WHERE parcel_code = %s"
