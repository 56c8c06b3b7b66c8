ALTER TABLE shipments ADD COLUMN parcel_code TEXT;
CREATE INDEX shipments_parcel_code ON shipments (parcel_code);
