import type { Migrations } from '../../../kernel/db.ts'
import { up as links } from './0026-payment-links.ts'
import { up as subscriptions } from './0037-subscriptions.ts'

export const LINK_MIGRATIONS: Migrations = { '0026-payment-links': links, '0037-subscriptions': subscriptions }
