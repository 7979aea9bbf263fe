#!/bin/sh
# Makes the secrets that compose.yaml passes to its containers, in secrets/ beside this file. Existing files are never
# changed, because replacing the wallet key would lose every wallet.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
chmod 700 secrets

# Containers read the files as different users, hence 444; on this machine the folder itself is closed to others.
keep() {
  [ -e "secrets/$1" ] || {
    printf '%s\n' "$2" > "secrets/$1.new"
    chmod 444 "secrets/$1.new"
    mv "secrets/$1.new" "secrets/$1"
  }
}

keep postgres_password "$(openssl rand -hex 24)"
keep database_url "postgres://gateway:$(cat secrets/postgres_password)@postgres:5432/gateway"
keep wallet_keys "first:$(openssl rand -base64 32)"
keep secret_key "$(openssl rand -base64 32)"
keep metrics_token "$(openssl rand -hex 24)"
