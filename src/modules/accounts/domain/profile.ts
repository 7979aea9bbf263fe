import { createHash } from 'node:crypto'
import type { Actor } from '../../../kernel/actor.ts'
import type { Db } from '../../../kernel/db.ts'
import { paintOf } from './accent.ts'
import { badField } from '../../../kernel/errors.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import type { Logos, SizedPicture } from '../../../kernel/ports.ts'
import type { Profile, ProfileChange } from '../account-profile.ts'
import { PICTURE_FAULTS } from './pictures.ts'
import { deleteLogo, findProfile, saveLogo, saveProfile } from '../profile-store.ts'
import { insertAudit, lockAccount } from '../store.ts'

const ID_LENGTH = 32

interface Changing {
  accountId: string
  actor: Actor
  change: ProfileChange
}

/** Changes an account's public profile. When a URL of a logo is given, the logo is fetched first. */
export async function changeProfile(
  ctx: StoreCtx,
  logos: Logos,
  { accountId, actor, change }: Changing,
): Promise<Profile> {
  const picture = change.logoUrl ? await fetchPicture(logos, change.logoUrl) : undefined
  return inTx(ctx, async (tx) => {
    // Locked, so that of two concurrent changes of different fields both take effect.
    await lockAccount(tx.db, accountId)
    const logoId = picture ? toLogoId(picture) : null
    const profile = {
      ...(await findProfile(tx.db, accountId)),
      ...change,
      ...(change.logoUrl !== undefined && { logoId }),
      updatedAt: tx.clock.now(),
    }
    await saveProfile(tx.db, profile)
    if (picture) await saveLogo(tx.db, accountId, logoId!, picture)
    else if (change.logoUrl === null) await deleteLogo(tx.db, accountId)
    await insertAudit(tx, { actor, accountId, what: 'profile.changed', detail: { fields: Object.keys(change) } })
    return profile
  })
}

async function fetchPicture(logos: Logos, url: string): Promise<SizedPicture> {
  const fetched = await logos.get(url)
  if (typeof fetched === 'string') throw badField('logo', PICTURE_FAULTS[fetched])
  return fetched
}

const toLogoId = ({ bytes }: SizedPicture) => createHash('sha256').update(bytes).digest('hex').slice(0, ID_LENGTH)

/** The merchant as payers see them. */
export interface Merchant {
  name: string
  /** A URL on our own pages. */
  logo: string | null
  supportEmail: string | null
  supportUrl: string | null
  termsUrl: string | null
  website: string | null
  /** The URL of the style sheet with their colour. */
  sheet: string | null
  /** The time zone of receipts and invoices; null for UTC. */
  timeZone: string | null
  /** The same for mails: the colour and a readable text on it. */
  colours: { fill: string; ink: string } | null
}

/** Undefined for an account without a public name: payers then see only the address. */
export async function findMerchant(db: Db, accountId: string): Promise<Merchant | undefined> {
  return toMerchant(await findProfile(db, accountId))
}

export function toMerchant(profile: Profile): Merchant | undefined {
  const { name, logoId, supportEmail, supportUrl, termsUrl, website, accent, timeZone } = profile
  if (name === null) return undefined
  return {
    name,
    logo: logoId === null ? null : `/logos/${logoId}`,
    supportEmail,
    supportUrl,
    termsUrl,
    website,
    sheet: accent === null ? null : `/accents/${accent.slice(1)}.css`,
    timeZone,
    colours: accent === null ? null : paintOf(accent),
  }
}
