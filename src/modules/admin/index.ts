export { openAdmin } from './open.ts'
export type { GatewayStatus } from './ports.ts'
export { describedAdminRoutes } from './routes/described.ts'
