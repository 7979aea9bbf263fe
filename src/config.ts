import { join } from 'node:path'
import { BadSetting } from './setting-readers.ts'
import { SETTINGS } from './settings.ts'

type Settings = typeof SETTINGS
export type Config = { readonly [K in keyof Settings]: ReturnType<Settings[K]['read']> }

interface SettingRow {
  name: string
  value: string
  default: string
  meaning: string
}

/** Settings whose values carry credentials. */
const SECRET = new Set([
  'NODE_HEADERS',
  'WORK_URLS',
  'DATABASE_URL',
  'SMTP_URL',
  'REDIS_URL',
  'COINGECKO_KEY',
  'SWAP_KEY',
  'WALLET_KEYS',
  'SECRET_KEY',
  'X402_FACILITATOR_URL',
  'METRICS_TOKEN',
])

/** Reads the environment once. A wrong value is told by its name, never by its content. */
export function loadConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const entries = Object.entries(SETTINGS).map(([key, { env: name, fallback, read }]) => {
    try {
      return [key, read(env[name] ?? fallback)]
    } catch (error) {
      if (error instanceof BadSetting) throw new Error(`${name} ${error.message}.`, { cause: error })
      throw error
    }
  })
  return Object.freeze(Object.fromEntries(entries)) as Config
}

/** Every setting with its current value, default and meaning; secrets are not shown. */
export function describeConfig(env: Readonly<Record<string, string | undefined>> = process.env): SettingRow[] {
  return Object.values(SETTINGS).map(({ env: name, fallback, doc }) => ({
    name,
    value: SECRET.has(name) && env[name] !== undefined ? '(set)' : (env[name] ?? fallback),
    default: fallback,
    meaning: doc,
  }))
}

/** The store a configuration names. */
export function storeUrl(config: Pick<Config, 'databaseUrl' | 'dataDir'>): string {
  return config.databaseUrl === '' ? `sqlite:${join(config.dataDir, 'gateway.db')}` : config.databaseUrl
}
