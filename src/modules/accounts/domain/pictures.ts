import { createHash } from 'node:crypto'
import type { Db } from '../../../kernel/db.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import type { Logos, PictureFault, SizedPicture } from '../../../kernel/ports.ts'
import { pictureIdIn } from '../../../kernel/shown-fields.ts'
import { findPicture, insertPicture, sumPictures } from '../pictures-store.ts'
import { lockAccount } from '../store.ts'

const ID_LENGTH = 32
/** What all pictures of an account may take. */
const SHARE = 32 * 1024 * 1024

export const PICTURE_FAULTS: Record<PictureFault, string> = {
  not_there: 'No picture could be fetched from this address.',
  too_large: 'The picture is larger than 512 KB.',
  not_a_picture: 'The file must be a still picture in PNG, JPEG or WebP.',
  wrong_size: 'The sides of the picture must have 16 to 2048 pixels.',
}
const FULL = 'Your pictures take 32 MB, which is the limit. Use the address of a picture that is online instead.'

interface PicturePorts {
  store: StoreCtx
  logos: Pick<Logos, 'clean'>
  /** The base URL of links to this gateway. */
  baseUrl(): string
}

/** Stores pictures of forms and returns their address, or what is wrong with the file. The same file again is the same picture. */
export const pictureUploads = ({ store, logos, baseUrl }: PicturePorts) => ({
  async add(accountId: string, file: Uint8Array): Promise<{ url: string } | { fault: string }> {
    const picture = await logos.clean(file)
    if (typeof picture === 'string') return { fault: PICTURE_FAULTS[picture] }
    const id = createHash('sha256').update(`${accountId} `).update(picture.bytes).digest('hex').slice(0, ID_LENGTH)
    const isStored = await inTx(store, async ({ db, clock }) => {
      // Locked, so that concurrent uploads do not exceed the share together.
      await lockAccount(db, accountId)
      if (await findPicture(db, id)) return true
      if ((await sumPictures(db, accountId)) + picture.bytes.length > SHARE) return false
      await insertPicture(db, { id, accountId, picture, now: clock.now() })
      return true
    })
    return isStored ? { url: `${baseUrl()}/pictures/${id}` } : { fault: FULL }
  },
})

export type PictureUploads = ReturnType<typeof pictureUploads>

/** Undefined for the address of a picture that was not uploaded here. */
export async function findUploadedPicture(db: Db, url: string): Promise<SizedPicture | undefined> {
  const id = pictureIdIn(url)
  return id === undefined ? undefined : findPicture(db, id)
}
