import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findNearNames } from './config.ts'
import { SETTINGS } from './settings.ts'

const ours = Object.values(SETTINGS).map(({ env }) => env)
const meantBy = (name: string, value = 'x', ignored: string[] = []) =>
  findNearNames({ [name]: value }, { ours, ignored })[0]?.meant

test('a name in another case, without its underscore, in the singular, or with one or two wrong letters is recognised', () => {
  const misspelt = {
    NODE_URL: 'NODE_URLS',
    NODE_WS_URL: 'NODE_WS_URLS',
    node_urls: 'NODE_URLS',
    NDOE_URSL: 'NODE_URLS',
    NODEURLS: 'NODE_URLS',
    X402_PAYTO: 'X402_PAY_TO',
    LIMIT_ANONYMUS_PER_MINUTE: 'LIMIT_ANONYMOUS_PER_MINUTE',
    LIMIT_ANNONYMUS_PER_MINUTE: 'LIMIT_ANONYMOUS_PER_MINUTE',
    WALLET_KEY: 'WALLET_KEYS',
    BASE_URI: 'BASE_URL',
    BASE_ULR: 'BASE_URL',
    BASE__URL: 'BASE_URL',
    DATABASE_URI: 'DATABASE_URL',
    TRUSTED_PROXY: undefined,
    TRUSTED_PROXIE: 'TRUSTED_PROXIES',
    Port: 'PORT',
    PORTS: 'PORT',
    PROT: 'PORT',
    HOSTS: 'HOST',
    NODE_EVN: 'NODE_ENV',
  }
  for (const [name, meant] of Object.entries(misspelt)) assert.equal(meantBy(name), meant, name)
})

test('variables of machines, shells, containers and other software are not reported as misspelt', () => {
  const others =
    `PATH HOME USER SHELL TERM LANG LC_ALL PWD OLDPWD SHLVL HOSTNAME LOGNAME MAIL EDITOR PAGER TMPDIR TZ DISPLAY
    COLORTERM FORCE_COLOR NO_COLOR CI POST SORT COST FONT HOST_IP HOSTTYPE MACHTYPE OSTYPE XDG_DATA_DIRS XDG_RUNTIME_DIR
    SSH_AUTH_SOCK SSH_CONNECTION DBUS_SESSION_BUS_ADDRESS INVOCATION_ID JOURNAL_STREAM NOTIFY_SOCKET SYSTEMD_EXEC_PID
    STATE_DIRECTORY LOGS_DIRECTORY CREDENTIALS_DIRECTORY NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_VERSION YARN_VERSION
    NODE_DEBUG NODE_NO_WARNINGS NODE_TLS_REJECT_UNAUTHORIZED NODE_COMPILE_CACHE NODE_CHANNEL_FD NODE_APP_INSTANCE NODE_NAME
    NODE_HOME NODE_ARGS NODE_TEST_CONTEXT NVM_DIR NVM_BIN npm_config_loglevel npm_config_cache npm_lifecycle_event
    NPM_TOKEN NANO_GATEWAY_LAUNCHED REDIS_HOST REDIS_PORT REDIS_PASSWORD REDIS_DB SMTP_HOST SMTP_PORT SMTP_USER SMTP_PASSWORD
    MAIL_HOST MAIL_PORT MAIL_USERNAME DATABASE_HOST DATABASE_NAME DB_URL DB_HOST POSTGRES_USER POSTGRES_PASSWORD POSTGRES_DB
    PGHOST PGPORT PGDATA PGUSER PGPASSWORD MYSQL_URL MONGO_URL APP_URL APP_KEY APP_ENV SITE_URL API_KEY API_HOST SECRET
    SECRET_KEY_BASE SECRET_TOKEN DATA LOG_FILE LOG_DIR LOG_FORMAT INSTANCE_ID AWS_REGION AWS_SECRET_ACCESS_KEY GITHUB_TOKEN
    KUBERNETES_SERVICE_HOST KUBERNETES_PORT HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy UV_THREADPOOL_SIZE JAVA_HOME
    GOPATH PYTHONPATH VIRTUAL_ENV LD_LIBRARY_PATH LISTEN LISTEN_FDS LISTEN_PID WATCHDOG_USEC DEBUG SEED`.split(/\s+/)
  for (const name of others) assert.equal(meantBy(name), undefined, name)
  assert.equal(meantBy('DEVNETS_PORT', 'tcp://10.0.0.1:80'), undefined, 'a service of Kubernetes')
  assert.equal(meantBy('DEVNET_PORT_80_TCP', 'tcp://10.0.0.1:80'), undefined)
})

test('names listed as those of other software are not reported', () => {
  assert.equal(meantBy('REDIS_URI'), 'REDIS_URL')
  assert.equal(meantBy('REDIS_URI', 'x', ['REDIS_URI']), undefined)
})
