import { accessSync, constants, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { openNearest } from '../kernel/nearest-name.ts'
import type { Config } from './config.ts'

const EMBEDDED = 'devnet:'
const NODE_OPTIONS = ['name', 'role', 'weight']
/** The default port of metrics on a public gateway. */
const METRICS_PORT = 9464
const ANY_HOST = new Set(['0.0.0.0', '::', ''])
/** The kernel's file systems proc and sysfs, in which no folder can be made. */
const KERNELS = new Set([0x9fa0, 0x62656572])
const MAIL_ADDRESS = /^[^<>]*<[^\s<>@]+@[^\s<>@]+>$|^[^\s<>@]+@[^\s<>@]+$/

interface Faults {
  problems: string[]
  warnings: string[]
}

/**
 * Finds values that can be parsed but make no sense, and says what to write instead. Never repeats a value that may
 * contain a credential.
 */
export function findFaults(config: Config): Faults {
  const problems = [
    ...faultsInNodes(config),
    ...faultsInPorts(config),
    ...faultsInMail(config),
    ...faultsInAddresses(config),
    ...faultsInFolder(config.dataDir),
  ]
  const isPlain = !config.isLocal && config.baseUrl?.startsWith('http:')
  const plain =
    'BASE_URL is plain http: keys, sessions and payment pages can be read and changed on their way. Put a proxy that speaks TLS in front and write https://.'
  return { problems, warnings: isPlain ? [plain] : [] }
}

function faultsInNodes({ nodeUrls, nodeWsUrls }: Config): string[] {
  const nearest = openNearest(NODE_OPTIONS)
  const inOptions = nodeUrls.flatMap((entry, at) => {
    const [address = '', fragment = ''] = entry.split('#')
    const wrong = /^https?:\/\/./.test(address) || address === EMBEDDED ? [] : [address]
    const unknown = [...new URLSearchParams(fragment).keys()].filter((name) => !NODE_OPTIONS.includes(name))
    return [
      ...wrong.map(() => `NODE_URLS: node ${at + 1} must be an http or https address, or \`${EMBEDDED}\`.`),
      ...unknown.map((name) => {
        const meant = nearest(name)
        const cure = meant === undefined ? `Options are ${NODE_OPTIONS.join(', ')}.` : `Did you mean ${meant}?`
        return `NODE_URLS: ${name} is not an option of a node. ${cure}`
      }),
    ]
  })
  const sockets = nodeWsUrls.flatMap((url, at) =>
    url === undefined || /^wss?:\/\/./.test(url)
      ? []
      : [`NODE_WS_URLS: websocket ${at + 1} must begin with ws:// or wss://.`],
  )
  const extra = nodeWsUrls.slice(nodeUrls.length).filter((url) => url !== undefined)
  const more =
    extra.length === 0
      ? []
      : [
          `NODE_WS_URLS has more websockets than NODE_URLS has nodes (${nodeUrls.length}). Write one for each node, in the same order, and leave a place empty where there is none.`,
        ]
  return [...inOptions, ...sockets, ...more]
}

function faultsInPorts(config: Config): string[] {
  const { host, port, metrics, metricsHost, metricsPort, isLocal, devnetPort, devnetWsPort } = config
  const auto = isLocal ? 0 : METRICS_PORT
  const taken = [
    { name: 'PORT', host, port },
    { name: 'METRICS_PORT', host: metricsHost, port: metrics ? (metricsPort === 'auto' ? auto : metricsPort) : 0 },
    { name: 'DEVNET_PORT', host: '', port: devnetPort },
    { name: 'DEVNET_WS_PORT', host: '', port: devnetWsPort },
  ]
  const meet = (a: string, b: string) => a === b || ANY_HOST.has(a) || ANY_HOST.has(b)
  return taken.flatMap((one, at) =>
    taken
      .slice(at + 1)
      .filter((other) => one.port !== 0 && one.port === other.port && meet(one.host, other.host))
      .map((other) => `${one.name} and ${other.name} are both ${one.port}: give one of them another port.`),
  )
}

function faultsInMail({ smtpUrl, mailFrom }: Config): string[] {
  const server = /^smtps?:\/\/./.test(smtpUrl) && URL.canParse(smtpUrl)
  return [
    ...(smtpUrl === '' || server ? [] : ['SMTP_URL must be like smtp://host:587 or smtps://user:password@host.']),
    ...(MAIL_ADDRESS.test(mailFrom)
      ? []
      : ['MAIL_FROM must be an email address, alone or like Shop <noreply@shop.example>.']),
  ]
}

function faultsInAddresses({ baseUrl, trustedProxies }: Config): string[] {
  const { pathname = '/', search = '' } = URL.parse(baseUrl ?? '') ?? {}
  const hasPath = pathname !== '/' || search !== ''
  const trustsAll = trustedProxies.some((entry) => /\/0+$/.test(entry))
  return [
    ...(hasPath
      ? [
          'BASE_URL must have no path: pages and links are made for the root of a host. Give the gateway a host name of its own.',
        ]
      : []),
    ...(trustsAll
      ? [
          'TRUSTED_PROXIES trusts every address, so that every caller chooses whom it is counted as. Name the addresses or networks of your proxies.',
        ]
      : []),
  ]
}

/** Checks that the data folder exists or can be made, without making it. */
function faultsInFolder(folder: string): string[] {
  const there = nearestOf(folder)
  const cure = 'Name a folder that the gateway may write to.'
  if (!statSync(there).isDirectory()) return [`DATA_DIR is in ${there}, which is a file. ${cure}`]
  if (KERNELS.has(statfsSync(there).type)) return [`DATA_DIR is in ${there}, where no folder can be made. ${cure}`]
  try {
    accessSync(there, constants.W_OK)
    return []
  } catch (error) {
    return [`DATA_DIR cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown'} at ${there}). ${cure}`]
  }
}

/** The folder, or its nearest parent that exists. */
function nearestOf(path: string): string {
  return statSync(path, { throwIfNoEntry: false }) === undefined ? nearestOf(dirname(path)) : path
}
