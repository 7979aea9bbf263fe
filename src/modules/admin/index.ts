export type { GatewayStatus } from './ports.ts'
