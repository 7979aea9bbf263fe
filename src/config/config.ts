import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isLoopback } from '../kernel/loopback.ts'
import { openNearest } from '../kernel/nearest-name.ts'
import { BadSetting, list } from '../kernel/setting.ts'
import { SETTINGS } from './settings.ts'

/** Append it to a secret's name to name the file that contains the secret. */
const FILE_SUFFIX = '_FILE'

const isGiven = (value: string | undefined) => value !== undefined && value !== ''

/**
 * Reads a secret from the environment, or from the file named there. Errors contain neither the file's content nor its
 * name.
 */
function readSecret(env: Env, name: string): string | undefined {
  const file = env[name + FILE_SUFFIX]
  if (!isGiven(file)) return env[name]
  if (isGiven(env[name])) throw new BadSetting(`and ${name}${FILE_SUFFIX} are both set: one of them must go`)
  try {
    return readFileSync(file!, 'utf8').replace(/[\r\n]+$/, '')
  } catch (error) {
    // The system's message would repeat the name of the file, and an operator may have put the secret itself there.
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw new BadSetting(`cannot be read from the file in ${name}${FILE_SUFFIX} (${code})`, { cause: code })
  }
}

type Settings = typeof SETTINGS
type Env = Readonly<Record<string, string | undefined>>
export type Config = { readonly [K in keyof Settings]: ReturnType<Settings[K]['read']> } & {
  /** Whether this is a local gateway, with which a developer tries things out on their own machine. */
  readonly isLocal: boolean
}

interface SettingRow {
  name: string
  value: string
  default: string
  meaning: string
}

const LISTED = Object.values(SETTINGS)
const NAMES = LISTED.map(({ env }) => env)
/** Secrets may come from a file. */
const FILE_NAMES = LISTED.filter(({ secret }) => secret).map(({ env }) => env + FILE_SUFFIX)

/** The settings read from an environment, with everything that is wrong. */
export interface ReadConfig {
  /** Undefined while a value is wrong. */
  config: Config | undefined
  /** The settings that make this gateway public; empty if it is local. */
  publicSigns: string[]
  /** Invalid values, each reported by its name and never by its content. */
  wrong: string[]
  /** Unknown names that were probably meant to be settings. */
  near: NearName[]
  /** Settings of earlier versions that no longer do anything. */
  gone: string[]
  /** Whether the operator has configured nodes, real ones or the development ledger. */
  nodesAreWrittenOut: boolean
}

/** Reads the environment once, and finds all errors instead of only the first. */
export function readConfig(env: Env = process.env): ReadConfig {
  const wrong: string[] = []
  const publicSigns = listPublicSigns(env)
  const entries = Object.entries(SETTINGS).map(([key, { env: name, fallback, read, secret }]) => {
    try {
      return [key, read((secret ? readSecret(env, name) : env[name]) ?? fallback)]
    } catch (error) {
      if (!(error instanceof BadSetting)) throw error
      wrong.push(`${name} ${error.message}.`)
      return [key, undefined]
    }
  })
  const config = Object.freeze(Object.fromEntries([...entries, ['isLocal', publicSigns.length === 0]])) as Config
  const ignored = list(env.NAMES_OF_OTHERS ?? '')
  const near = [
    ...findNearNames(env, { ours: [...NAMES, ...FILE_NAMES], ignored }),
    // Only secrets may be in files. Without this check, a file for any other setting would be ignored silently.
    ...LISTED.filter(({ env: name, secret }) => !secret && env[name + FILE_SUFFIX] !== undefined).map(
      ({ env: name }) => ({
        name: name + FILE_SUFFIX,
        meant: name,
      }),
    ),
  ]
  const nodesAreWrittenOut = env.NODE_URLS !== undefined
  return {
    config: wrong.length > 0 ? undefined : config,
    publicSigns,
    wrong,
    near,
    gone: listGone(env),
    nodesAreWrittenOut,
  }
}

/** Reads the environment for work with the store; throws one error that names everything wrong. */
export function loadConfig(env: Env = process.env): Config {
  const { config, wrong, near, publicSigns } = readConfig(env)
  const refused = publicSigns.length === 0 ? wrong : [...wrong, ...near.map(describeNearName)]
  if (!config || refused.length > 0) throw new Error(reportAll(refused))
  return config
}

export const describeNearName = ({ name, meant }: NearName) => `Unknown setting ${name}. Did you mean ${meant}?`

/** A single problem as a sentence, several as a list. */
export function reportAll(problems: readonly string[]): string {
  return problems.length === 1 ? problems[0]! : ['These settings are wrong:', ...problems].join('\n  ')
}

/** Every setting with its current value, default and meaning; secrets are not shown. */
export function describeConfig(env: Env = process.env): SettingRow[] {
  const isSet = (name: string) => env[name] !== undefined || env[name + FILE_SUFFIX] !== undefined
  return LISTED.map(({ env: name, fallback, doc, secret }) => ({
    name,
    value: secret && isSet(name) ? '(set)' : (env[name] ?? fallback),
    default: fallback,
    meaning: doc,
  }))
}

/** The address of the configured store. */
export function storeUrl(config: Pick<Config, 'databaseUrl' | 'dataDir'>): string {
  return config.databaseUrl === '' ? `sqlite:${join(config.dataDir, 'gateway.db')}` : config.databaseUrl
}

const listGone = ({ PROCESSES = '1' }: Env) =>
  PROCESSES === '1' ? [] : ['PROCESSES is gone: a gateway is one process. Start several on one PostgreSQL instead.']

/** The settings that make this gateway public; empty if it is local. */
function listPublicSigns({ NODE_ENV, HOST, BASE_URL }: Env): string[] {
  const reasons: string[] = []
  if (NODE_ENV === 'production') reasons.push('NODE_ENV is production')
  if (HOST !== undefined && !isLoopback(HOST)) reasons.push('HOST is not this machine alone')
  if (BASE_URL !== undefined && BASE_URL !== '' && !namesThisMachine(BASE_URL)) {
    reasons.push('BASE_URL is not an address of this machine alone')
  }
  return reasons
}

const namesThisMachine = (address: string) => URL.canParse(address) && isLoopback(new URL(address).hostname)

/** Names that other software sets and that resemble ours. */
const OF_OTHERS = new Set(['APP_URL', 'INSTANCE_ID', 'NODE_ARGS'])

/** Names that Kubernetes and linked containers set for each service. */
const OF_SERVICES = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP)(_(PROTO|PORT|ADDR))?)$/
const SERVICE_ADDRESS = /^(tcp|udp):\/\//

/** An unknown name, and the setting that it was probably meant to be. */
interface NearName {
  name: string
  meant: string
}

/** Finds names of the environment that differ from one of ours in case, underscores, or one or two letters. */
export function findNearNames(
  env: Readonly<Record<string, string | undefined>>,
  { ours, ignored }: { ours: readonly string[]; ignored: readonly string[] },
): NearName[] {
  const known = new Set([...ours, ...ignored, ...OF_OTHERS])
  const nearest = openNearest(ours)
  return Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined || known.has(name) || OF_SERVICES.test(name)) return []
    if (name.endsWith('_PORT') && SERVICE_ADDRESS.test(value)) return []
    const meant = nearest(name)
    return meant === undefined ? [] : [{ name, meant }]
  })
}
