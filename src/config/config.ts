import { join } from 'node:path'
import { leavesDesk } from './desk.ts'
import { type NearName, findNearNames } from './near-names.ts'
import { FILE_SUFFIX, readSecret } from './setting-files.ts'
import { BadSetting, list } from '../kernel/setting.ts'
import { SETTINGS } from './settings.ts'

type Settings = typeof SETTINGS
type Env = Readonly<Record<string, string | undefined>>
export type Config = { readonly [K in keyof Settings]: ReturnType<Settings[K]['read']> } & {
  /** A local gateway: a developer tries things out on their own machine. */
  readonly atDesk: boolean
}

interface SettingRow {
  name: string
  value: string
  default: string
  meaning: string
}

const LISTED = Object.values(SETTINGS)
const NAMES = LISTED.map(({ env }) => env)
/** What is secret may come from a file. */
const FILE_NAMES = LISTED.filter(({ secret }) => secret).map(({ env }) => env + FILE_SUFFIX)

/** An environment as it was read, with everything that is wrong with it. */
export interface ReadConfig {
  /** Undefined while a value is wrong. */
  config: Config | undefined
  /** Why this gateway is not local; empty if it is. */
  notDesk: string[]
  /** Invalid values, each reported by its name and never by its content. */
  wrong: string[]
  /** Names that are not ours and were probably meant to be. */
  near: NearName[]
  /** Whether the development ledger runs because the operator wrote so, or real nodes do. */
  nodesAreWrittenOut: boolean
}

/** What a process of ours gets: everything that we were given, and what else it needs. */
export const inheritedWith = (others: Env): Env => ({ ...others, ...process.env })

/** Reads the environment once, and finds everything that is wrong instead of the first. */
export function readConfig(env: Env = process.env): ReadConfig {
  const wrong: string[] = []
  const notDesk = leavesDesk(env)
  const entries = Object.entries(SETTINGS).map(([key, { env: name, fallback, read, secret }]) => {
    try {
      return [key, read((secret ? readSecret(env, name) : env[name]) ?? fallback)]
    } catch (error) {
      if (!(error instanceof BadSetting)) throw error
      wrong.push(`${name} ${error.message}.`)
      return [key, undefined]
    }
  })
  const config = Object.freeze(Object.fromEntries([...entries, ['atDesk', notDesk.length === 0]])) as Config
  const ignored = list(env.NAMES_OF_OTHERS ?? '')
  const near = [
    ...findNearNames(env, { ours: [...NAMES, ...FILE_NAMES], ignored }),
    // Read from a file is what is secret, and nothing else: this one would be left unread without a word.
    ...LISTED.filter(({ env: name, secret }) => !secret && env[name + FILE_SUFFIX] !== undefined).map(
      ({ env: name }) => ({
        name: name + FILE_SUFFIX,
        meant: name,
      }),
    ),
  ]
  const nodesAreWrittenOut = env.NODE_URLS !== undefined
  return { config: wrong.length > 0 ? undefined : config, notDesk, wrong, near, nodesAreWrittenOut }
}

/** Reads the environment for work with the store; throws one error that names everything wrong. */
export function loadConfig(env: Env = process.env): Config {
  const { config, wrong, near, notDesk } = readConfig(env)
  const refused = notDesk.length === 0 ? wrong : [...wrong, ...near.map(tellNear)]
  if (!config || refused.length > 0) throw new Error(tellAll(refused))
  return config
}

export const tellNear = ({ name, meant }: NearName) => `Unknown setting ${name}. Did you mean ${meant}?`

/** One sentence as it is, several under each other. */
export function tellAll(problems: readonly string[]): string {
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

/** The store a configuration names. */
export function storeUrl(config: Pick<Config, 'databaseUrl' | 'dataDir'>): string {
  return config.databaseUrl === '' ? `sqlite:${join(config.dataDir, 'gateway.db')}` : config.databaseUrl
}
