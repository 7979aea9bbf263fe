import { OutboundFailure } from '../../kernel/outbound-failure.ts'
import type { Logos, Outbound } from '../../kernel/ports.ts'
import { cleanPicture } from '../pictures/clean-picture.ts'

const BYTES_MAX = 512 * 1024
const HEADERS = { accept: 'image/png, image/jpeg, image/webp', 'user-agent': 'nano-gateway' }

/** Fetches a picture once, through the guarded way out, and makes one of it that we can serve as our own. */
export function openLogos({ outbound }: { outbound: Outbound }): Logos {
  return {
    async get(url) {
      try {
        const { status, bytes } = await outbound.get(url, { headers: HEADERS, bytesMax: BYTES_MAX })
        if (status !== 200) return 'not_there'
        return bytes ? cleanPicture(Buffer.from(bytes)) : 'too_large'
      } catch (error) {
        // Why an address cannot be reached is not told to whoever gave it.
        if (error instanceof OutboundFailure) return 'not_there'
        throw error
      }
    },
  }
}
