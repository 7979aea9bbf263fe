import { existsSync } from 'node:fs'
import { type Config, storeUrl } from '../config/config.ts'
import { findFact, keepFact, replaceFact } from '../infra/db/facts.ts'
import { openSecretBox, readSecretKey, secretKeyFileOf } from '../infra/secrets/secret-key.ts'
import type { StoreCtx } from '../kernel/in-tx.ts'
import type { SecretBox } from '../kernel/ports.ts'
import { listSealedSessions } from '../modules/accounts/index.ts'
import { listSealedSecrets } from '../modules/webhooks/index.ts'

type SecretsCtx = Pick<StoreCtx, 'db' | 'clock' | 'random'>
type SecretConfig = Pick<Config, 'secretKey' | 'dataDir' | 'databaseUrl'>

const CANARY = 'nano-gateway'
const CANARY_PLACE = 'canary'
const WAY_OUT = 'If it is lost for good: nano-gateway secret-key replace --yes'

/** Opens the encryption of secrets in the store, and verifies that the key is the one that was used before. */
export async function openSecrets(config: SecretConfig, ctx: SecretsCtx): Promise<SecretBox> {
  const { db, clock, random } = ctx
  const canary = await findFact(db, 'secret-key')
  const sealed = canary === undefined ? await listSealed(ctx) : [{ place: CANARY_PLACE, sealed: canary }]
  const source = nameKey(config)
  // A new key could decrypt nothing and would hide that the old one is gone.
  if (config.secretKey === undefined && sealed.length > 0 && !existsSync(secretKeyFileOf(config.dataDir))) {
    throw new Error(
      `${source} is missing, and the secrets of this store are encrypted with it. Restore it.${tellShared(config)} ${WAY_OUT}`,
    )
  }
  const box = openBox(config, random)
  // A store from before the canary may contain texts of even older keys: one that can be decrypted is proof enough.
  if (sealed.length > 0 && !sealed.some((each) => opens(box, each))) throw wrongKey(config)
  if (canary !== undefined) return box
  const kept = await keepFact(db, { name: 'secret-key', value: box.seal(CANARY_PLACE, CANARY), now: clock.now() })
  // Another gateway may have written the canary first, with another key.
  if (!opens(box, { place: CANARY_PLACE, sealed: kept })) throw wrongKey(config)
  return box
}

/** Accepts the present key although it decrypts nothing that is stored. Gateways with the old key must be stopped before. */
export async function replaceSecretKey(config: SecretConfig, { db, clock, random }: SecretsCtx): Promise<void> {
  const value = openBox(config, random).seal(CANARY_PLACE, CANARY)
  await replaceFact(db, { name: 'secret-key', value, now: clock.now() })
}

const openBox = ({ secretKey, dataDir }: SecretConfig, random: StoreCtx['random']) =>
  openSecretBox(secretKey ?? readSecretKey(dataDir, random), random)

export const nameKey = ({ secretKey, dataDir }: SecretConfig) =>
  secretKey === undefined ? secretKeyFileOf(dataDir) : 'SECRET_KEY'

const tellShared = (config: SecretConfig) =>
  storeUrl(config).startsWith('sqlite:') ? '' : ' All gateways on one store need the same SECRET_KEY.'

function wrongKey(config: SecretConfig): Error {
  const text = `${nameKey(config)} is not the key that encrypted the secrets of this store. Restore the one that did.`
  return new Error(`${text}${tellShared(config)} ${WAY_OUT}`)
}

interface Sealed {
  place: string
  sealed: string
}

/** Encrypted texts from before stores had a canary. */
async function listSealed({ db }: SecretsCtx): Promise<Sealed[]> {
  return [...(await listSealedSecrets(db)), ...(await listSealedSessions(db))]
}

function opens(box: SecretBox, { place, sealed }: Sealed): boolean {
  try {
    box.open(place, sealed)
    return true
  } catch {
    // Failing is the answer here; the check at the start has its own error.
    return false
  }
}
