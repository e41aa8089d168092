#!/bin/sh
# Runs once, when Postgres makes its database: the role that the service uses, which owns nothing. `portcullis migrate
# --service-role` gives it its rights. The password is hexadecimal, so it needs no quoting.
set -eu
password=$(cat /run/secrets/service-password)
psql --set=ON_ERROR_STOP=1 --username=postgres --dbname=portcullis <<SQL
create role portcullis_service login password '$password';
SQL
