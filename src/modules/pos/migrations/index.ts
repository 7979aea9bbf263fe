import type { Migrations } from '../../../kernel/db.ts'
import { up as pointsOfSale } from './0033-points-of-sale.ts'
import { up as posPayout } from './0066-pos-payout.ts'

export const POS_MIGRATIONS: Migrations = { '0033-points-of-sale': pointsOfSale, '0066-pos-payout': posPayout }
