import { OutboundFailure } from '../../kernel/outbound-failure.ts'
import type { Logos, Outbound } from '../../kernel/ports.ts'
import { whenOver } from '../../kernel/when-over.ts'
import { cleanPicture } from '../pictures/clean-picture.ts'

const BYTES_MAX = 512 * 1024
const HEADERS = { accept: 'image/png, image/jpeg, image/webp', 'user-agent': 'nano-gateway' }

/** Fetches a picture once, through the guarded way out, and makes one of it that we can serve as our own. */
export function openLogos({ outbound }: { outbound: Outbound }): Logos {
  /** One picture at a time: half a megabyte unpacks to thirty, which an account may ask for fifty times at once. */
  let last: Promise<unknown> = Promise.resolve()
  const clean = (bytes: Uint8Array) => {
    const cleaned = last.then(() => cleanPicture(Buffer.from(bytes)))
    last = whenOver(cleaned)
    return cleaned
  }
  return {
    async get(url) {
      try {
        const { status, bytes } = await outbound.get(url, { headers: HEADERS, bytesMax: BYTES_MAX })
        if (status !== 200) return 'not_there'
        return bytes ? await clean(bytes) : 'too_large'
      } catch (error) {
        // The caller who gave an address does not learn why it cannot be reached.
        if (error instanceof OutboundFailure) return 'not_there'
        throw error
      }
    },
  }
}
