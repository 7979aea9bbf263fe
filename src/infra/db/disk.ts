import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Gauge } from '../../kernel/module.ts'

/** Free space on the disks of this machine that we write to; that of a PostgreSQL server is not known. */
export function diskGauge({ dataDir, url }: { dataDir: string; url: string }): Gauge {
  const folders = { data: dataDir, ...(url.startsWith('sqlite:') && { store: dirname(url.slice('sqlite:'.length)) }) }
  return {
    name: 'gateway_disk_free_bytes',
    help: 'Bytes left on the disk of a folder: that of DATA_DIR, and that of the store where it is a file.',
    labels: ['folder'],
    read: () =>
      Promise.all(
        Object.entries(folders).map(async ([folder, path]) => {
          const { bavail, bsize } = await statfs(path)
          return { labels: { folder }, value: bavail * bsize }
        }),
      ),
  }
}
