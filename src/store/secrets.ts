import { existsSync } from 'node:fs'
import { type Config, storeUrl } from '../config/config.ts'
import { findFact, keepFact, replaceFact } from '../infra/db/facts.ts'
import type { Listening } from '../infra/db/notices.ts'
import { factContext } from '../infra/db/tables.ts'
import { SecretKeys, readSecretKeys, secretKeyFileOf } from '../infra/secrets/secret-key.ts'
import type { StoreCtx } from '../kernel/in-tx.ts'
import type { EncryptionContext } from '../kernel/encrypted.ts'
import { listEncrypted } from './encrypted.ts'

type SecretsCtx = Pick<StoreCtx, 'db' | 'clock' | 'random'>
type SecretConfig = Pick<Config, 'secretKey' | 'secretKeys' | 'dataDir' | 'databaseUrl'>

/** Lists the gateways that run on the store, this one with the given keys; empty where the store cannot report them. */
type ListRunning = (ownKeys: readonly string[]) => Promise<readonly Listening[]>

const CANARY = 'nano-gateway'
const CANARY_CONTEXT = factContext('secret-key')
const FINGERPRINT_CONTEXT = factContext('fingerprint-key')
const WAY_OUT = 'If it is lost for good: nano-gateway secret-keys replace --yes'
/** This many decrypted texts prove a key where the store has no canary. */
const PROVEN_MAX = 20

/** The keys of the settings, or of the file in the data folder. */
function openKeys(config: SecretConfig, random: StoreCtx['random']): SecretKeys {
  const own = keysOf(config)
  return new SecretKeys(() => (own.length > 0 ? own : readSecretKeys(config.dataDir, random)), random)
}

/** The keys of the settings; none where a file has them. */
export function keysOf({ secretKey, secretKeys }: Pick<Config, 'secretKey' | 'secretKeys'>): readonly Uint8Array[] {
  if (secretKey === undefined) return secretKeys
  if (secretKeys.length > 0)
    throw new Error('SECRET_KEY and SECRET_KEYS are both set: put the key into SECRET_KEYS, and remove SECRET_KEY.')
  return [secretKey]
}

/**
 * Opens the encryption of secrets in the store, and verifies that the keys have those that were used before.
 */
export async function openSecrets(
  config: SecretConfig,
  ctx: SecretsCtx,
  listRunning: ListRunning = () => Promise.resolve([]),
): Promise<SecretKeys> {
  const { db, clock, random } = ctx
  const canary = await findFact(db, 'secret-key')
  const encrypted = canary === undefined ? await sample(db) : [{ context: CANARY_CONTEXT, encrypted: canary }]
  // A new key could decrypt nothing, and would hide that the old one is missing.
  if (keysOf(config).length === 0 && encrypted.length > 0 && !existsSync(secretKeyFileOf(config.dataDir))) {
    throw new Error(
      `${nameKey(config)} is missing, and the secrets of this store are encrypted with it. Restore it.${describeShared(config)} ${WAY_OUT}`,
    )
  }
  const keys = openKeys(config, random)
  // A store from before the canary may contain texts of even older keys: one that can be decrypted is proof enough.
  const used = encrypted
    .map((each) => keys.encryptedWith(each.context, each.encrypted))
    .find((name) => name !== undefined)
  if (encrypted.length > 0 && used === undefined) throw wrongKey(config)
  const [first] = keys.names
  if (used !== undefined && used !== first) await requireKnown(keys.names, listRunning)
  if (canary === undefined) {
    const value = keys.encrypt(CANARY_CONTEXT, CANARY)
    const kept = await keepFact(db, { name: 'secret-key', value, now: clock.now() })
    // Another gateway may have written the canary first, with another key.
    if (keys.encryptedWith(CANARY_CONTEXT, kept) === undefined) throw wrongKey(config)
  } else if (used !== first) {
    // From now on a gateway without the new key, which could not read what this one encrypts, does not start.
    await replaceFact(db, { name: 'secret-key', value: keys.encrypt(CANARY_CONTEXT, CANARY), now: clock.now() })
  }
  await pinFingerprints(keys, used, ctx)
  return keys
}

/** Keeps the fingerprint key in the store. A key derived from a changing one would forget every address that wants no mail. */
async function pinFingerprints(keys: SecretKeys, used: string | undefined, { db, clock }: SecretsCtx): Promise<void> {
  const derived = keys.encrypt(FINGERPRINT_CONTEXT, Buffer.from(keys.deriveFingerprintKey(used)).toString('base64'))
  const kept = await keepFact(db, { name: 'fingerprint-key', value: derived, now: clock.now() })
  keys.useFingerprintKey(Buffer.from(keys.open(FINGERPRINT_CONTEXT, kept), 'base64'))
}

/** Refuses a key that a running gateway lacks, because that gateway would replace unreadable secrets by throw-away ones. */
async function requireKnown(names: readonly string[], listRunning: ListRunning): Promise<void> {
  const key = names[0]!
  const without = (await listRunning(names)).filter(
    ({ isGateway, secretKeys = [] }) => isGateway && !secretKeys.includes(key),
  )
  if (without.length === 0) return
  throw new Error(
    `The first key (${key}) is not known to ${namesOf(without)}. First give it to every gateway as the second of SECRET_KEYS and restart each, then put it first.`,
  )
}

/** The hosts and process ids of gateways, as text for people. */
export const namesOf = (gateways: readonly Pick<Listening, 'host' | 'pid'>[]) =>
  gateways.map(({ host, pid }) => `process ${pid} on ${host}`).join(', ')

/** Accepts the present keys although they decrypt nothing that is stored. Gateways with the old key must be stopped before. */
export async function replaceSecretKey(config: SecretConfig, { db, clock, random }: SecretsCtx): Promise<void> {
  const keys = openKeys(config, random)
  const fingerprint = await findFact(db, 'fingerprint-key')
  const now = clock.now()
  await replaceFact(db, { name: 'secret-key', value: keys.encrypt(CANARY_CONTEXT, CANARY), now })
  if (fingerprint !== undefined && keys.encryptedWith(FINGERPRINT_CONTEXT, fingerprint) === undefined) {
    const value = keys.encrypt(
      FINGERPRINT_CONTEXT,
      Buffer.from(keys.deriveFingerprintKey(undefined)).toString('base64'),
    )
    await replaceFact(db, { name: 'fingerprint-key', value, now })
  }
}

/** The setting or the file that has the key, as text for people. */
export function nameKey(config: SecretConfig): string {
  if (config.secretKeys.length > 0) return 'SECRET_KEYS'
  return config.secretKey === undefined ? secretKeyFileOf(config.dataDir) : 'SECRET_KEY'
}

const describeShared = (config: SecretConfig) =>
  storeUrl(config).startsWith('sqlite:') ? '' : ' All gateways on one store need the same SECRET_KEY.'

function wrongKey(config: SecretConfig): Error {
  const text = `${nameKey(config)} is not the key that encrypted the secrets of this store. Restore the one that did.`
  return new Error(`${text}${describeShared(config)} ${WAY_OUT}`)
}

/** Some encrypted texts of a store from before the canary. */
async function sample(db: StoreCtx['db']): Promise<{ context: EncryptionContext; encrypted: string }[]> {
  const found: { context: EncryptionContext; encrypted: string }[] = []
  for await (const texts of listEncrypted(db, PROVEN_MAX)) found.push(...texts.slice(0, PROVEN_MAX))
  return found
}
