import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { checkStart } from '../../src/config/check-start.ts'
import { readConfig } from '../../src/config/config.ts'
import { systemClock } from '../../src/infra/clock.ts'
import { newKey } from '../support/random.ts'

/*
 * Checks the chart without Helm and without a cluster. Its templates are rendered by Go's template engine with substitutes for Helm's functions
 * (test/support/helm/render.go), and the result is checked against models of the Kubernetes API (test/support/helm/check.py). Running it in a cluster is
 * not tested.
 */

const root = resolve(import.meta.dirname, '../..')
const chart = join(root, 'deploy/helm/nano-gateway')
const read = (file: string): unknown => parse(readFileSync(join(chart, file), 'utf8'))

interface Labels {
  'app.kubernetes.io/name': string
}
interface Container {
  args: string[]
  image: string
  securityContext: Record<string, unknown>
  volumeMounts: { name: string; mountPath: string }[]
  ports?: { name: string; containerPort: number }[]
  readinessProbe?: { periodSeconds: number; failureThreshold: number; httpGet: { path: string } }
}
interface Pod {
  containers: Container[]
  volumes: { name: string }[]
  securityContext: { runAsNonRoot: boolean }
  terminationGracePeriodSeconds?: number
}
interface Resource {
  kind: string
  metadata: { name: string; annotations?: Record<string, string> }
  data?: Record<string, string>
  spec: {
    replicas?: number
    minReplicas?: number
    maxUnavailable?: number
    selector?: Labels & { matchLabels?: Labels }
    template?: { metadata: { labels: Labels }; spec: Pod }
    strategy?: { rollingUpdate: { maxUnavailable: number } }
  }
}

const NEEDED = { BASE_URL: 'https://gateway.example', NODE_URLS: 'http://one:7076,http://two:7076' }
type Values = {
  settings: Record<string, string>
  autoscaling: object
  image: { repository: string; tag: string }
  drain: { notice: number; finish: number }
}

function render(change: (values: Values) => Partial<Values> = () => ({})): Resource[] {
  const values = read('values.yaml') as Values
  const image = { ...values.image, repository: 'registry.example/nano-gateway' }
  const own = { ...values, image, settings: { ...values.settings, ...NEEDED }, ...change(values) }
  const { version, appVersion } = read('Chart.yaml') as { version: string; appVersion: string }
  const input = JSON.stringify({
    Values: own,
    Release: { Name: 'shop' },
    Chart: { Version: version, AppVersion: appVersion },
  })
  const text = execFileSync('go', ['run', join(root, 'test/support/helm/render.go'), chart], {
    input,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  return parseAllDocuments(text).flatMap((document) => {
    assert.deepEqual(document.errors, [])
    const resource = document.toJS() as Resource | null
    return resource === null ? [] : [resource]
  })
}

/** Errors of the Kubernetes API models for these resources. */
const refused = (all: unknown[]): string[] =>
  execFileSync('/usr/bin/python3', [join(root, 'test/support/helm/check.py')], {
    input: JSON.stringify(all),
    encoding: 'utf8',
  })
    .split('\n')
    .filter(Boolean)

const resources = render()
const get = (kind: string) => resources.find((each) => each.kind === kind)!
const podOf = (kind: string) => get(kind).spec.template!.spec

test('the chart makes everything that a service of two gateways needs, and every selector finds its pods', () => {
  assert.deepEqual(resources.map(({ kind }) => kind).sort(), [
    'ConfigMap',
    'Deployment',
    'HorizontalPodAutoscaler',
    'Ingress',
    'Job',
    'PodDisruptionBudget',
    'Service',
    'Service',
  ])
  assert.equal(get('HorizontalPodAutoscaler').spec.minReplicas, 2)
  assert.equal(get('Deployment').spec.replicas, undefined, 'or every upgrade would undo what the autoscaler has chosen')
  assert.equal(
    render(() => ({ autoscaling: { enabled: false } })).find(({ kind }) => kind === 'Deployment')!.spec.replicas,
    2,
  )
  const { labels } = get('Deployment').spec.template!.metadata
  for (const { kind, spec } of resources) {
    const selector = spec?.selector?.matchLabels ?? spec?.selector
    if (selector) assert.deepEqual(selector, labels, kind)
  }
  assert.notDeepEqual(get('Job').spec.template!.metadata.labels, labels, 'no service leads to the job')
})

test('a cluster accepts every resource of the chart: no field is unknown, missing or of a wrong type', () => {
  const plain = render(() => ({ autoscaling: { enabled: false } }))
  assert.deepEqual(refused([...resources, ...plain]), [])
  const { spec, ...service } = get('Service')
  const wrong = [
    { ...service, spec: { ...spec, selectors: {} } },
    { ...get('PodDisruptionBudget'), metadata: { name: 5 } },
    { ...get('Deployment'), spec: { ...get('Deployment').spec, selector: undefined } },
  ]
  assert.deepEqual(refused(wrong), [
    'Service.spec.selectors is unknown',
    "PodDisruptionBudget.metadata.name is 5 and must be like '5'",
    'Deployment: Invalid value for `selector`, must not be `None`',
  ])
})

test('the settings of the chart are taken by a gateway as they are, and its secrets are files', () => {
  const data = get('ConfigMap').data!
  const files = Object.entries(data).filter(([name]) => name.endsWith('_FILE'))
  assert.deepEqual(files.map(([, path]) => path.replace('/run/secrets/gateway/', '')).sort(), [
    'database_url',
    'metrics_token',
    'secret_key',
    'wallet_keys',
  ])
  const plain = Object.fromEntries(Object.entries(data).filter(([name]) => !name.endsWith('_FILE')))
  const secrets = {
    DATABASE_URL: 'postgres://gateway@db/gateway',
    WALLET_KEYS: `one:${newKey()}`,
    SECRET_KEYS: newKey(),
    METRICS_TOKEN: 'x'.repeat(16),
  }
  const { problems, warnings } = checkStart(
    systemClock,
    readConfig({ ...plain, ...secrets, DATA_DIR: import.meta.dirname }),
  )
  assert.deepEqual([problems, warnings], [[], []])
  assert.throws(() => render(({ image }) => ({ image })), /image.repository is required/)
  for (const name of ['BASE_URL', 'NODE_URLS']) {
    assert.throws(
      () => render(({ settings }) => ({ settings: { ...settings, ...NEEDED, [name]: '' } })),
      new RegExp(`settings.${name} is required`),
    )
  }
})

test('a stopping pod leaves the service before it refuses requests, and ends before it is killed', () => {
  const { notice, finish } = (read('values.yaml') as Values).drain
  const { containers, terminationGracePeriodSeconds: grace } = podOf('Deployment')
  const { periodSeconds, failureThreshold, httpGet } = containers[0]!.readinessProbe!
  assert.equal(httpGet.path, '/health/ready')
  assert.ok(notice >= 2 * periodSeconds * failureThreshold * 1_000, 'noticed twice over')
  assert.ok(grace! * 1_000 > notice + finish)
  assert.equal(get('Deployment').spec.strategy!.rollingUpdate.maxUnavailable, 0)
  assert.equal(get('PodDisruptionBudget').spec.maxUnavailable, 1)
})

test('nothing in a pod runs as root, writes into the image, or uses a volume that is not there', () => {
  for (const kind of ['Deployment', 'Job']) {
    const { containers, volumes, securityContext } = podOf(kind)
    assert.equal(securityContext.runAsNonRoot, true)
    for (const container of containers) {
      const { readOnlyRootFilesystem, allowPrivilegeEscalation } = container.securityContext
      assert.deepEqual([readOnlyRootFilesystem, allowPrivilegeEscalation], [true, false])
      const names = volumes.map(({ name }) => name)
      for (const mount of container.volumeMounts) assert.ok(names.includes(mount.name), mount.name)
    }
  }
})

test('the schema is brought up to date before the first new gateway, with settings that exist by then', () => {
  const weightOf = (kind: string) => Number(get(kind).metadata.annotations!['helm.sh/hook-weight'])
  for (const kind of ['ConfigMap', 'Job']) {
    assert.equal(get(kind).metadata.annotations!['helm.sh/hook'], 'pre-install,pre-upgrade')
  }
  assert.ok(weightOf('ConfigMap') < weightOf('Job'))
  const [group, command] = podOf('Job').containers[0]!.args
  const page = readFileSync(join(root, 'docs/commands.md'), 'utf8')
  assert.ok(page.includes(`| \`${group} ${command}\``), 'a command of the gateway')
})

test('chart, image and package have one version', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const own = read('Chart.yaml') as { version: string; appVersion: string }
  assert.deepEqual([own.version, own.appVersion], [version, version])
  assert.ok(existsSync(join(root, 'deploy/Containerfile')))
})
