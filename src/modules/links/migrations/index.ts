import type { Migrations } from '../../../kernel/migration.ts'
import { up as links } from './0026-payment-links.ts'

export const LINK_MIGRATIONS: Migrations = { '0026-payment-links': links }
