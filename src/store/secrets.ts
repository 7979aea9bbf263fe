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

/** Opens what seals the secrets in the store, and proves that its key is the one that sealed them. */
export async function openSecrets(config: SecretConfig, ctx: SecretsCtx): Promise<SecretBox> {
  const { db, clock, random } = ctx
  const canary = await findFact(db, 'secret-key')
  const sealed = canary === undefined ? await listSealed(ctx) : [{ place: CANARY_PLACE, sealed: canary }]
  const source = nameKey(config)
  // A new key would open nothing and hide that the old one is gone.
  if (config.secretKey === undefined && sealed.length > 0 && !existsSync(secretKeyFileOf(config.dataDir))) {
    throw new Error(
      `${source} is missing, and the secrets of this store are encrypted with it. Restore it.${tellShared(config)} ${WAY_OUT}`,
    )
  }
  const box = openBox(config, random)
  // A store of before the canary may hold what an even older key has sealed: one that opens is proof enough.
  if (sealed.length > 0 && !sealed.some((each) => opens(box, each))) throw wrongKey(config)
  if (canary !== undefined) return box
  const kept = await keepFact(db, { name: 'secret-key', value: box.seal(CANARY_PLACE, CANARY), now: clock.now() })
  // Another gateway may have been faster, with another key.
  if (!opens(box, { place: CANARY_PLACE, sealed: kept })) throw wrongKey(config)
  return box
}

/** Takes the present key although it opens nothing of what is sealed. Gateways that run with the old one must be stopped before. */
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

/** What was sealed before stores had a canary. */
async function listSealed({ db }: SecretsCtx): Promise<Sealed[]> {
  return [...(await listSealedSecrets(db)), ...(await listSealedSessions(db))]
}

function opens(box: SecretBox, { place, sealed }: Sealed): boolean {
  try {
    box.open(place, sealed)
    return true
  } catch {
    // That is the answer; the check of the start refuses with its own words.
    return false
  }
}
