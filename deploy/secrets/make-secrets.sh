#!/bin/sh
# Generates the missing secrets of a deployment, and shows the first client's key once, when it is generated.
#
#   make-secrets.sh <folder for gateways> <folder for gateways and workers> <folder for Redis>
#     <folder for programs that serve or read metrics> [<name of Redis' host>]
#
# Each folder is a volume that is mounted read-only, only where it is needed. To replace a secret, remove its file (all
# three for a certificate) and restart everything.
set -eu
gateway=$1 programs=$2 redis=$3 metrics=$4 host=${5:-redis}
umask 022
days=3650
commands='-@all +@read +@write +@pubsub +@scripting +@transaction +@connection -@dangerous +info +time'

# The rename is atomic, so a partial secret is never used.
keep() {
  cat >"$1.part"
  mv "$1.part" "$1"
}
random() {
  openssl rand -hex 32
}
hash_of() {
  printf %s "$(cat "$1")" | openssl dgst -sha256 -r | cut -d ' ' -f 1
}

[ -s "$programs/push-secret" ] || openssl rand -base64 32 | keep "$programs/push-secret"
[ -s "$programs/redis-password" ] || random | keep "$programs/redis-password"
[ -s "$gateway/operator-key" ] || random | keep "$gateway/operator-key"
[ -s "$metrics/metrics-key" ] || random | keep "$metrics/metrics-key"
[ -s "$redis/admin-password" ] || random | keep "$redis/admin-password"

# Minimal rights on Switchyard's keys and channels; "health" may only ping.
keep "$redis/users.acl" <<ACL
user default off
user health on nopass resetkeys resetchannels -@all +ping
user admin on #$(hash_of "$redis/admin-password") ~* &* +@all
user switchyard on #$(hash_of "$programs/redis-password") ~sw* resetchannels &sw* $commands
ACL

if ! [ -s "$redis/redis.crt" ] || ! [ -s "$programs/redis-ca.crt" ]; then
  work=$(mktemp -d)
  openssl ecparam -name prime256v1 -genkey -noout -out "$work/ca.key"
  openssl req -x509 -new -key "$work/ca.key" -sha256 -days $days -subj '/CN=Switchyard Redis CA' -out "$work/ca.crt"
  openssl ecparam -name prime256v1 -genkey -noout -out "$work/redis.key"
  openssl req -new -key "$work/redis.key" -subj "/CN=$host" -out "$work/redis.csr"
  printf 'subjectAltName=DNS:%s,DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n' "$host" >"$work/extensions"
  openssl x509 -req -in "$work/redis.csr" -CA "$work/ca.crt" -CAkey "$work/ca.key" -CAcreateserial -sha256 \
    -days $days -extfile "$work/extensions" -out "$work/redis.crt"
  keep "$redis/redis.key" <"$work/redis.key"
  keep "$redis/ca.crt" <"$work/ca.crt"
  keep "$programs/redis-ca.crt" <"$work/ca.crt"
  keep "$redis/redis.crt" <"$work/redis.crt"
  # The authority's key is discarded: it signs nothing else.
  rm -r "$work"
fi

if ! [ -s "$gateway/api-keys" ]; then
  key=$(random)
  echo "$key:me" | keep "$gateway/api-keys"
  echo
  echo "The key of your first client, shown this once:"
  echo
  echo "  export API_KEY=$key"
  # shellcheck disable=SC2016
  echo '  curl -H "Authorization: Bearer $API_KEY" http://127.0.0.1:4000/agents'
  echo
fi
