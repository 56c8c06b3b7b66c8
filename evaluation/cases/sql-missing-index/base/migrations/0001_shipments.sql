CREATE TABLE shipments (
    id BIGSERIAL PRIMARY KEY,
    order_number BIGINT NOT NULL,
    sent_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX shipments_order_number ON shipments (order_number);
