import { Command } from 'commander'
import { printConfig } from './cli/config.ts'
import { fundAccount, runDevnet } from './cli/devnet.ts'
import { runGateway } from './main.ts'
import { VERSION } from './version.ts'

const program = new Command('nano-gateway')
  .description('An open RPC gateway for the Nano network.')
  .version(VERSION)
  .showHelpAfterError()

program.command('start').description('start the gateway (settings come from the environment)').action(runGateway)

program
  .command('config')
  .description('print every setting with its value, default and meaning')
  .option('--json', 'print JSON')
  .action(printConfig)

const devnet = program
  .command('devnet')
  .description('run the embedded development ledger alone, with the RPC and websocket of a node')
  .option('--host <address>', 'address to listen on', '127.0.0.1')
  .option('--port <port>', 'port of the RPC', '7076')
  .option('--ws-port <port>', 'port of the websocket', '7078')
  .option('--data <file>', 'ledger file; `:memory:` forgets everything at the end', './data/devnet.db')
  .option('--work <network>', 'work thresholds: dev or live', 'dev')
  .option('--confirm-ms <milliseconds>', 'time until a block is confirmed', '0')
  .option('--no-control', 'refuse actions that change the node, make work or sign')
  .option('--json', 'print JSON')
  .action(runDevnet)

devnet
  .command('fund')
  .description('send nano from the genesis account of a running development ledger')
  .argument('<address>', 'who gets it')
  .argument('<nano>', 'how much, in nano')
  .option('--url <url>', 'RPC address of the ledger; by default that of the gateway in DATA_DIR, else port 7076')
  .option('--json', 'print JSON')
  .action(fundAccount)

try {
  await program.parseAsync()
} catch (error) {
  console.error(`nano-gateway: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
