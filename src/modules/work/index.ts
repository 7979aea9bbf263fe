export { WORK_ACTIONS, type WorkModule, openWork, openWorkActions } from './open.ts'
