import type { FastifyInstance } from 'fastify'
import { mountActivity } from './activity.tsx'
import { type AdministrationOptions, mountAdministration } from './administration.tsx'
import { mountCheckouts } from './checkouts.tsx'
import { mountCredits } from './credits.tsx'
import { type DeveloperOptions, mountDeveloper } from './developer.tsx'
import { Door } from './door.tsx'
import { type EmailsOptions, mountEmails } from './emails.tsx'
import { mountKeys } from './keys.tsx'
import { mountNames } from './names.tsx'
import { type OverviewOptions, mountOverview } from './overview.tsx'
import { type SignInOptions, mountSignIn } from './sign-in.tsx'
import { type WalletsOptions, mountWallets } from './wallets.tsx'
import { mountWebhooks } from './webhooks.tsx'

type DashboardOptions = SignInOptions &
  OverviewOptions &
  AdministrationOptions &
  DeveloperOptions &
  EmailsOptions &
  WalletsOptions & { webhooks: Parameters<typeof mountWebhooks>[1]['webhooks'] }

/** The dashboard under `/dashboard`: pages and forms for people, over the same verbs as the API. */
export function mountDashboard(server: FastifyInstance, options: DashboardOptions): void {
  void server.register(
    (pages, _options, done) => {
      const door = new Door(pages, options)
      mountSignIn(door, options)
      mountOverview(door, options)
      mountCheckouts(door, options)
      mountWallets(door, options)
      mountEmails(door, options)
      mountNames(door, options)
      mountWebhooks(door, options)
      mountKeys(door, options)
      mountCredits(door, options)
      mountActivity(door, options)
      mountDeveloper(door, options)
      mountAdministration(door, options)
      done()
    },
    { prefix: '/dashboard' },
  )
}
