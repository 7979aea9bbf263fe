import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { checkStart } from '../../src/config/check-start.ts'
import { describeConfig, loadConfig, readConfig } from '../../src/config/config.ts'
import { systemClock } from '../../src/infra/clock.ts'
import { openFolder } from '../support/folder.ts'

/* The compose file, as far as it can be checked without running containers. */

const deploy = resolve(import.meta.dirname, '../../deploy')
const read = (file: string) => readFileSync(join(deploy, file), 'utf8')

interface Service {
  environment?: Record<string, string>
  env_file?: string
  secrets?: string[]
  volumes?: string[]
  networks?: { default: { ipv4_address: string } }
  depends_on?: unknown
}
interface Compose {
  services: Record<string, Service>
  secrets: Record<string, { file: string }>
  networks: { default: { ipam: { config: { subnet: string; ip_range: string }[] } } }
  volumes: Record<string, null>
}
const { services, ...compose } = parse(read('compose.yaml'), { merge: true }) as Compose
const gateways = Object.entries(services).filter(([name]) => name.startsWith('gateway-'))
const addressOf = ({ networks }: Service) => networks!.default.ipv4_address

/** Settings in the example file; commented ones show the default. */
const shown = new Map(
  [...read('env.example').matchAll(/^(#?)([A-Z0-9_]+)=(.*)$/gm)].map(([, mark, name = '', value = '']) => [
    name,
    { isSet: mark === '', value: value.replace(/^'(.*)'$/, '$1') },
  ]),
)
/** Used by compose.yaml itself. */
const NOT_OURS = new Set(['LISTEN'])

test('no setting is lost on its way into the container: those not set by compose.yaml are in its env file', () => {
  assert.equal(gateways.length, 2)
  for (const [name, { environment, env_file: file, secrets }] of gateways) {
    assert.equal(file, '.env', name)
    // SECRET_KEY may also be set as the list SECRET_KEYS.
    const fixed = ['SECRET_KEY', ...Object.keys(environment!).map((key) => key.replace(/_FILE$/, ''))]
    const known = describeConfig({}).map((setting) => setting.name)
    assert.deepEqual(
      fixed.filter((setting) => !known.includes(setting)),
      [],
    )
    // A setting in both files would be ignored silently, because compose.yaml wins.
    const twice = fixed.filter((setting) => shown.has(setting))
    assert.deepEqual(twice, ['BASE_URL', 'NODE_URLS', 'TRUSTED_PROXIES'], 'these are taken from the file')
    assert.ok(twice.every((setting) => environment![setting]!.startsWith(`\${${setting}:`)))
    assert.deepEqual(
      [...new Set([...fixed, ...shown.keys()])].filter((setting) => !NOT_OURS.has(setting)).sort(),
      known.sort(),
    )
    const inFiles = Object.entries(environment!).filter(([key]) => key.endsWith('_FILE'))
    assert.deepEqual(inFiles.map(([, path]) => path).sort(), secrets!.map((secret) => `/run/secrets/${secret}`).sort())
  }
})

test('the example of settings shows the real defaults and sets valid values', () => {
  const wrong = describeConfig({}).filter(({ name, default: fallback }) => {
    const example = shown.get(name)
    return example && !example.isSet && !/example/.test(example.value) && example.value !== fallback
  })
  assert.deepEqual(
    wrong.map(({ name }) => name),
    [],
  )
  loadConfig(Object.fromEntries([...shown].map(([name, { value }]) => [name, value])))
})

test('the example opened the faucet and left sends without limits on the live network: it sets what going-live.md says, and config --check finds nothing wrong', () => {
  const guide = readFileSync(join(deploy, '../docs/going-live.md'), 'utf8')
  const said = [...guide.matchAll(/^export (.+)$/gm)].flatMap(([, line = '']) => [
    ...line.matchAll(/([A-Z_]+)=(?:'[^']*'|([\w.]+)(?= |$))/g),
  ])
  const plain = new Map(said.flatMap(([, name = '', value]) => (value === undefined ? [] : [[name, value]])))
  // The guide has its proxy on the same machine, the example in a container.
  plain.delete('TRUSTED_PROXIES')
  const protective = ['FAUCET_NANO', 'NODE_NETWORK', 'SWAP_PROVIDER', 'WALLET_DAILY_MAX_NANO', 'WALLET_SEND_MAX_NANO']
  assert.deepEqual([...plain.keys()].filter((name) => shown.has(name)).sort(), protective)
  for (const name of protective) assert.deepEqual(shown.get(name), { isSet: true, value: plain.get(name) }, name)
  const set = [...shown].filter(([, { isSet }]) => isSet).map(([name, { value }]) => [name, value] as const)
  const { environment = {} } = gateways[0]![1]
  const fixed = Object.entries(environment).filter(([name]) => !name.endsWith('_FILE') && !shown.has(name))
  const METRICS_TOKEN = 'x'.repeat(16)
  const env = { ...Object.fromEntries([...fixed, ...set]), METRICS_TOKEN, DATA_DIR: import.meta.dirname }
  const { problems, warnings } = checkStart(systemClock, readConfig(env))
  assert.deepEqual([problems, warnings], [[], []])
})

test('secrets are made once and never again: a second run loses no wallet', (t) => {
  const folder = openFolder(t)
  cpSync(join(deploy, 'secrets.sh'), join(folder, 'secrets.sh'))
  const make = () => {
    execFileSync('sh', ['secrets.sh'], { cwd: folder })
    const names = readdirSync(join(folder, 'secrets')).sort()
    return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, 'secrets', name), 'utf8').trim()]))
  }
  const made = make()
  assert.equal(statSync(join(folder, 'secrets')).mode & 0o777, 0o700, 'others on this machine stay out')
  assert.deepEqual(
    Object.values(compose.secrets).map(({ file }) => file),
    ['postgres_password', 'database_url', 'wallet_keys', 'secret_key', 'metrics_token'].map(
      (name) => `./secrets/${name}`,
    ),
  )
  assert.deepEqual(Object.keys(made), Object.keys(compose.secrets).sort())
  const config = loadConfig({
    DATABASE_URL: made.database_url!,
    WALLET_KEYS: made.wallet_keys!,
    SECRET_KEY: made.secret_key!,
    METRICS_TOKEN: made.metrics_token!,
  })
  assert.equal(config.walletKeys.length, 1)
  assert.equal(new URL(config.databaseUrl).password, made.postgres_password)
  // One secret was lost: only that file is created again.
  rmSync(join(folder, 'secrets/metrics_token'))
  const again = make()
  assert.notEqual(again.metrics_token, made.metrics_token)
  assert.deepEqual({ ...again, metrics_token: '' }, { ...made, metrics_token: '' })
})

test('the load balancer uses the gateways’ addresses, and only it may name client addresses', () => {
  const listed = [...read('nginx/upstream.conf').matchAll(/^ {2}server (\S+):8080 .*; # (\S+)$/gm)]
  assert.deepEqual(
    listed.map(([, address, name]) => [name, address]),
    gateways.map(([name, service]) => [name, addressOf(service)]),
  )
  const { nginx } = services
  // A TLS proxy on the host reaches nginx through the network's gateway address. If that address is not trusted, all clients look like one.
  for (const [, { environment }] of gateways) {
    assert.equal(environment!.TRUSTED_PROXIES, `\${TRUSTED_PROXIES:-${addressOf(nginx!)},172.30.0.1}`)
  }
  assert.equal(nginx!.depends_on, undefined, 'it starts while a gateway cannot')
  // Docker assigns addresses from 172.30.0.128 upwards, so the fixed addresses of gateways stay free while one is down.
  const [{ subnet, ip_range: range }] = compose.networks.default.ipam.config as [{ subnet: string; ip_range: string }]
  assert.deepEqual([subnet, range], ['172.30.0.0/24', '172.30.0.128/25'])
  for (const service of Object.values(services).filter(({ networks }) => networks)) {
    assert.match(addressOf(service), /^172\.30\.0\.(1[0-9]|[2-9][0-9])$/)
  }
})

interface Prometheus {
  rule_files: string[]
  alerting: { alertmanagers: { static_configs: { targets: string[] }[] }[] }
  scrape_configs: { authorization: { credentials_file: string }; static_configs: { targets: string[] }[] }[]
}
interface Alertmanager {
  route: { receiver: string; routes: { matchers: string[]; receiver: string }[] }
  receivers: { name: string }[]
}
interface Alarms {
  groups: { rules: { alert: string; labels: { severity: string }; annotations: { summary: string } }[] }[]
}

test('alarms reach a person: Prometheus reads every gateway, and each severity has a receiver', () => {
  const prometheus = parse(read('prometheus/prometheus.yml')) as Prometheus
  const [scrape] = prometheus.scrape_configs
  const port = gateways[0]![1].environment!.METRICS_PORT
  assert.deepEqual(
    scrape!.static_configs.flatMap(({ targets }) => targets),
    gateways.map(([name]) => `${name}:${port}`),
  )
  assert.equal(scrape!.authorization.credentials_file, gateways[0]![1].environment!.METRICS_TOKEN_FILE)
  assert.deepEqual(services.prometheus!.secrets, ['metrics_token'])
  const told = prometheus.alerting.alertmanagers.flatMap(({ static_configs: [each] }) => each!.targets)
  assert.deepEqual(told, ['alertmanager:9093'])
  assert.match(services.alertmanager!.volumes![0]!, /^\.\/prometheus\/alertmanager\.yml:\/etc\/alertmanager\//)

  const { route, receivers } = parse(read('prometheus/alertmanager.yml')) as Alertmanager
  const byReceiver = new Map(receivers.map(({ name, ...ways }) => [name, Object.values(ways).flat()]))
  const rules = prometheus.rule_files
    .flatMap((file) => (parse(read(`prometheus/${file}`)) as Alarms).groups)
    .flatMap((group) => group.rules)
  assert.ok(rules.length > 10)
  for (const { alert, labels, annotations } of rules) {
    const found = route.routes.find(({ matchers }) => matchers.includes(`severity="${labels.severity}"`)) ?? route
    assert.equal(found.receiver, labels.severity, alert)
    assert.ok(byReceiver.get(found.receiver)!.length > 0, `${alert} is heard by somebody`)
    assert.ok(annotations.summary.length > 10, alert)
  }
})

test('every file and every volume that the arrangement mounts is there', () => {
  const mounted = Object.values(services).flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(':')[0]!))
  for (const source of mounted) {
    if (source.startsWith('./')) statSync(join(deploy, source))
    else assert.ok(source in compose.volumes, source)
  }
})
