import { AppError } from '../../../kernel/errors.ts'
import type { Reply, Route, RouteLimit, RouteRequest } from '../../../kernel/route.ts'
import { assetUrl, listAssets } from '../../../web/assets.ts'
import { negotiate } from '../../checkout/index.ts'
import { requirePos } from '../domain/enter.ts'
import { TillPage } from '../pages/till-page.tsx'
import type { PosContext } from '../context.ts'
import { TILL_TEXTS } from '../texts.ts'

interface TillPagePorts {
  context: PosContext
  limit: RouteLimit
  devnet: boolean
}

const voiceFor = ({ header, query }: RouteRequest) => negotiate(header('accept-language'), query.lang)

/** The page of a till, the same for everyone, and the files that browsers need to install it. */
export function tillPageRoutes({ context, limit, devnet }: TillPagePorts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/pos/:id',
      access: 'open',
      limit,
      async run(request) {
        const { id } = await requirePos(context, request.params.id!)
        const voice = voiceFor(request)
        return {
          page: <TillPage {...{ id, devnet, voice }} />,
          headers: {
            'content-language': voice.language,
            vary: 'accept-language',
            'x-robots-tag': 'noindex, nofollow',
            'x-frame-options': 'DENY',
            // The token after the # must not reach other sites.
            'referrer-policy': 'no-referrer',
          },
        }
      },
    },
    {
      method: 'GET',
      path: '/pos/:id/app.webmanifest',
      access: 'open',
      limit,
      async run(request) {
        const { id, title } = await requirePos(context, request.params.id!)
        const at = `/pos/${id}`
        return toManifest({
          id: at,
          name: title,
          short_name: title.slice(0, 12),
          description: TILL_TEXTS[voiceFor(request).language].title,
          start_url: at,
          scope: at,
          display: 'standalone',
          background_color: '#ffffff',
          theme_color: '#1a5fc7',
          icons: [{ src: assetUrl('icon.svg'), sizes: 'any', type: 'image/svg+xml', purpose: 'any' }],
        })
      },
    },
    {
      method: 'GET',
      // A service worker controls only pages below the folder of its own URL, here `/pos/`.
      path: '/pos/worker.js',
      access: 'open',
      limit,
      run() {
        const worker = listAssets().find(({ name }) => name === 'pos-worker.js')
        if (!worker) throw new AppError('not_found', 'Not found.')
        return { bytes: worker.plain, type: worker.type, headers: { 'x-content-type-options': 'nosniff' } }
      },
    },
  ]
}

const toManifest = (manifest: object): Reply => ({
  bytes: Buffer.from(JSON.stringify(manifest)),
  type: 'application/manifest+json; charset=utf-8',
})
