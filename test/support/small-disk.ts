import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** Mounts a disk of a few megabytes that can be filled and emptied; undefined without the right to mount. */
export function mountSmallDisk(t: TestContext, megabytes: number) {
  const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-disk-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    remove()
    return undefined
  }
  t.after(() => {
    execFileSync('umount', ['--lazy', folder])
    remove()
  })
  const ballast = join(folder, 'ballast')
  return {
    folder,
    /** To the last byte. */
    fill(): void {
      for (let bytes = megabytes * 2 ** 20; bytes >= 1; bytes /= 2) {
        try {
          writeFileSync(ballast, Buffer.alloc(bytes), { flag: 'a' })
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        }
      }
    },
    empty: () => rmSync(ballast),
  }
}
