import { type Actor } from '../../../kernel/actor.ts'
import { createHash } from 'node:crypto'
import { badField } from '../../../kernel/errors.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import type { Logos, PictureFault, SizedPicture } from '../../../kernel/ports.ts'
import type { ProfileChange } from '../profile-fields.ts'
import { type Profile, deleteLogo, findProfile, saveLogo, saveProfile } from '../profile-store.ts'
import { insertAudit, lockAccount } from '../store.ts'

const ID_LENGTH = 32
const FAULTS: Record<PictureFault, string> = {
  not_there: 'No picture could be fetched from this address.',
  too_large: 'The picture is larger than 512 KB.',
  not_a_picture: 'logo must be a still picture in PNG, JPEG or WebP.',
  wrong_size: 'The sides of the picture must have 16 to 2048 pixels.',
}

interface Changing {
  accountId: string
  actor: Actor
  change: ProfileChange
}

/** Changes what an account shows of itself. A picture is fetched first, whenever its address is given. */
export async function changeProfile(
  ctx: StoreCtx,
  logos: Logos,
  { accountId, actor, change }: Changing,
): Promise<Profile> {
  const picture = change.logoUrl ? await fetchPicture(logos, change.logoUrl) : undefined
  return inTx(ctx, async (tx) => {
    // Two who change different things at once both have their way.
    await lockAccount(tx.db, accountId)
    const logoId = picture ? toLogoId(picture) : null
    const profile = {
      ...(await findProfile(tx.db, accountId)),
      ...change,
      ...(change.logoUrl !== undefined && { logoId }),
      updatedAt: tx.clock.now(),
    }
    await saveProfile(tx.db, accountId, profile)
    if (picture) await saveLogo(tx.db, accountId, logoId!, picture)
    else if (change.logoUrl === null) await deleteLogo(tx.db, accountId)
    await insertAudit(tx, { actor, accountId, what: 'profile.changed', detail: { fields: Object.keys(change) } })
    return profile
  })
}

async function fetchPicture(logos: Logos, url: string): Promise<SizedPicture> {
  const fetched = await logos.get(url)
  if (typeof fetched === 'string') throw badField('logo', FAULTS[fetched])
  return fetched
}

const toLogoId = ({ bytes }: SizedPicture) => createHash('sha256').update(bytes).digest('hex').slice(0, ID_LENGTH)
