import type { Db } from '../../../kernel/db.ts'
import { type Profile, findProfile } from '../profile-store.ts'

/** Who is being paid, as those see it who pay. */
export interface Merchant {
  name: string
  /** On our own pages. */
  logo: string | null
  supportEmail: string | null
  supportUrl: string | null
  termsUrl: string | null
  website: string | null
  /** The sheet with their colour. */
  sheet: string | null
}

/** Undefined for who has not said a name: then the address is all there is to know. */
export async function findMerchant(db: Db, accountId: string): Promise<Merchant | undefined> {
  return toMerchant(await findProfile(db, accountId))
}

export function toMerchant(profile: Profile): Merchant | undefined {
  const { name, logoId, supportEmail, supportUrl, termsUrl, website, accent } = profile
  if (name === null) return undefined
  return {
    name,
    logo: logoId === null ? null : `/logos/${logoId}`,
    supportEmail,
    supportUrl,
    termsUrl,
    website,
    sheet: accent === null ? null : `/accents/${accent.slice(1)}.css`,
  }
}
