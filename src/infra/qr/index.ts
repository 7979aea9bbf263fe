import type { QrOutline } from '../../kernel/ports.ts'
import { toModules } from './modules.ts'
import { QUIET_MODULES, toPng } from './png.ts'

/** A QR code as the outline of its dark modules, for a drawing `size` units wide, quiet zone included. */
export function qrOutline(text: string): QrOutline {
  const { size, dark } = toModules(text)
  let path = ''
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      if (dark[y * size + x] === 0) continue
      const start = x
      while (x + 1 < size && dark[y * size + x + 1] === 1) x++
      path += `M${start + QUIET_MODULES} ${y + QUIET_MODULES}h${x - start + 1}v1h-${x - start + 1}z`
    }
  }
  return { size: size + 2 * QUIET_MODULES, path }
}

/** A QR code as a picture that stands in an answer by itself: a data URI of a black and white PNG. */
export function qrPng(text: string): string {
  return `data:image/png;base64,${toPng(toModules(text)).toString('base64')}`
}
