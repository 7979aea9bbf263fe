import type { FastifyInstance } from 'fastify'
import { mountActivity } from '../../modules/accounts/routes/activity.tsx'
import { type AdministrationOptions, mountAdministration } from '../../modules/admin/routes/administration.tsx'
import { mountCheckouts } from '../../modules/checkout/routes/dashboard.tsx'
import { mountCredits } from '../../modules/billing/routes/dashboard.tsx'
import { type DeveloperOptions, mountDeveloper } from '../../modules/checkout/routes/developer-dashboard.tsx'
import { Door } from '../dashboard.tsx'
import { type EmailsOptions, mountEmails } from '../../modules/email/routes/dashboard.tsx'
import { mountKeys } from '../../modules/accounts/routes/keys.tsx'
import { mountNames } from '../../modules/usernames/routes/dashboard.tsx'
import { type OverviewOptions, mountOverview } from '../../modules/admin/routes/overview.tsx'
import { type SignInOptions, mountSignIn } from '../../modules/accounts/routes/sign-in.tsx'
import { type WalletsOptions, mountWallets } from '../../modules/wallets/routes/dashboard.tsx'
import { mountWebhooks } from '../../modules/webhooks/routes/dashboard.tsx'

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
