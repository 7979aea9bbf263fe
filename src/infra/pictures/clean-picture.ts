import type { PictureFault, SizedPicture } from '../../kernel/ports.ts'
import { BrokenPicture, WrongSide } from './broken-picture.ts'
import { cleanJpeg } from './clean-jpeg.ts'
import { cleanPng } from './clean-png.ts'
import { cleanWebp } from './clean-webp.ts'

const SIDE_MIN = 16
const SIDE_MAX = 2_048

/**
 * A picture that a stranger gave, taken apart and written anew from what makes its pixels: what else was in the file (where it
 * was taken, scripts behind its end, frames of an animation) is not in ours. Formats that can hold anything else are none.
 */
export async function cleanPicture(bytes: Buffer): Promise<SizedPicture | PictureFault> {
  try {
    const cleaned = (await cleanPng(bytes, SIDE_MAX)) ?? cleanJpeg(bytes) ?? cleanWebp(bytes)
    if (!cleaned) return 'not_a_picture'
    const { width, height } = cleaned
    return [width, height].every((side) => side >= SIDE_MIN && side <= SIDE_MAX) ? cleaned : 'wrong_size'
  } catch (error) {
    if (error instanceof WrongSide) return 'wrong_size'
    // Reading past the end is how a broken file shows itself.
    if (error instanceof BrokenPicture || error instanceof RangeError) return 'not_a_picture'
    throw error
  }
}
