import { OutboundFailure } from '../../kernel/outbound-failure.ts'
import { type Clock, type Logos, type Picture, type Pictures, type SizedPicture } from '../../kernel/ports.ts'
import { type Outbound } from '../../kernel/outbound.ts'
import { whenOver } from '../../kernel/when-over.ts'
import { cleanPicture } from '../pictures/clean-picture.ts'

const BYTES_MAX = 512 * 1024
const KEPT_BYTES_MAX = 32 * 1024 * 1024
const KEPT_MAX = 1_000
const GOOD_FOR = 60 * 60_000
/** A picture that failed is not requested again for this time, however many payers open its page. */
const BAD_FOR = 60_000
const AT_ONCE_MAX = 16

interface PicturePorts {
  outbound: Outbound
  /** A picture of our own store by its address. */
  findUploaded(url: string): Promise<SizedPicture | undefined>
}

interface Kept {
  picture: Picture
  until: number
}

/**
 * Fetches merchants' pictures with the guarded client and keeps them for a while. Simultaneous requests for a picture
 * share one fetch. If too many fetches are running, a page is shown without its picture, so that it is not delayed.
 */
export function openPictures({ outbound, clock, findUploaded }: PicturePorts & { clock: Clock }): Pictures {
  const kept = new Map<string, Kept>()
  /** Apart from the pictures, which addresses where nothing is must not displace. */
  const failed = new Map<string, number>()
  const running = new Map<string, { loading: Promise<Picture | undefined>; owner: string }>()
  let keptBytes = 0

  const forget = (url: string) => {
    keptBytes -= kept.get(url)?.picture.bytes.length ?? 0
    kept.delete(url)
  }
  const keep = (url: string, picture: Picture | undefined) => {
    forget(url)
    failed.delete(url)
    if (!picture) {
      failed.set(url, clock.now() + BAD_FOR)
      if (failed.size > KEPT_MAX) failed.delete(failed.keys().next().value!)
      return
    }
    kept.set(url, { picture, until: clock.now() + GOOD_FOR })
    keptBytes += picture.bytes.length
    for (const oldest of kept.keys()) {
      if (keptBytes <= KEPT_BYTES_MAX && kept.size <= KEPT_MAX) break
      forget(oldest)
    }
  }
  const load = async (url: string): Promise<Picture | undefined> => {
    try {
      const headers = {
        accept: 'image/avif, image/webp, image/png, image/jpeg, image/gif',
        'user-agent': 'nano-gateway',
      }
      const { status, bytes } = await outbound.get(url, { headers, bytesMax: BYTES_MAX })
      const type = status === 200 && bytes ? kindOf(bytes) : undefined
      return bytes && type !== undefined ? { type, bytes } : undefined
    } catch {
      // The picture was refused or could not be fetched; the page is shown without it.
      return undefined
    }
  }
  return {
    async find(url, owner) {
      const uploaded = await findUploaded(url)
      if (uploaded) return uploaded
      const found = kept.get(url)
      if (found && found.until > clock.now()) return found.picture
      if ((failed.get(url) ?? 0) > clock.now()) return undefined
      const already = running.get(url)
      if (already) return already.loading
      const own = [...running.values()].filter((one) => one.owner === owner).length
      // At most half of the places that are free now, so that some are left for others.
      const ownMax = Math.max(1, Math.floor((AT_ONCE_MAX - running.size) / 2))
      if (running.size >= AT_ONCE_MAX || own >= ownMax) return undefined
      const loading = load(url)
      running.set(url, { loading, owner })
      try {
        const picture = await loading
        keep(url, picture)
        return picture
      } finally {
        running.delete(url)
      }
    },
  }
}

/** Only pixel formats, because vector graphics may contain scripts. */
function kindOf(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 16)).toString('latin1')
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (/^GIF8[79]a/.test(text)) return 'image/gif'
  if (/^RIFF[^]{4}WEBP/.test(text)) return 'image/webp'
  if (/^[^]{4}ftypavi[fs]/.test(text)) return 'image/avif'
  return undefined
}

const HEADERS = { accept: 'image/png, image/jpeg, image/webp', 'user-agent': 'nano-gateway' }

/** Reads a picture once, from its address or as a file, and converts it to a safe one that we serve ourselves. */
export function openLogos({ outbound, findUploaded }: PicturePorts): Logos {
  /** One picture at a time: half a megabyte unpacks to thirty, and an account may request fifty at once. */
  let last: Promise<unknown> = Promise.resolve()
  const clean: Logos['clean'] = async (bytes) => {
    if (bytes.length > BYTES_MAX) return 'too_large'
    const cleaned = last.then(() => cleanPicture(Buffer.from(bytes)))
    last = whenOver(cleaned)
    return cleaned
  }
  return {
    clean,
    async get(url) {
      const uploaded = await findUploaded(url)
      if (uploaded) return uploaded
      try {
        const { status, bytes } = await outbound.get(url, { headers: HEADERS, bytesMax: BYTES_MAX })
        if (status !== 200) return 'not_there'
        return bytes ? await clean(bytes) : 'too_large'
      } catch (error) {
        // Users who give an address do not learn why it cannot be reached.
        if (error instanceof OutboundFailure) return 'not_there'
        throw error
      }
    },
  }
}
