#!/usr/bin/env node
'use strict'
// Starts the command line with a supported Node. The syntax is old on purpose: this file must load on any Node, so that an unsupported one prints a
// sentence instead of a stack trace.
var path = require('path')
var fs = require('fs')

var LOWEST = [22, 13]
var cli = path.join(__dirname, '..', 'dist', 'cli.js')

function supported(version) {
  var parts = version.replace(/^v/, '').split('.').map(Number)
  return parts[0] > LOWEST[0] || (parts[0] === LOWEST[0] && parts[1] >= LOWEST[1])
}

function shippedNode() {
  try {
    var name = 'node-' + process.platform + '-' + process.arch
    var file = path.join(path.dirname(require.resolve(name + '/package.json')), 'bin', 'node')
    return fs.existsSync(file) ? file : undefined
  } catch (missing) {
    return undefined
  }
}

/** npm starts a shell between itself and this process and signals only the shell. If the shell dies, the only sign is that our parent has changed. */
function stopWithShell() {
  var shell = process.ppid
  if (process.platform === 'win32' || process.env.npm_lifecycle_event === undefined) return
  var timer = setInterval(function () {
    if (process.ppid === shell) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, 200)
  timer.unref()
}

function fail(text) {
  console.error(text)
  process.exit(1)
}

stopWithShell()
if (!fs.existsSync(cli)) {
  fail(
    'nano-gateway is not built yet. Run `npm run build` (or `npm start`, which does it) in ' +
      path.join(__dirname, '..') +
      '.',
  )
} else if (supported(process.version)) {
  import(require('url').pathToFileURL(cli).href).catch(function (error) {
    fail(error && error.stack ? error.stack : String(error))
  })
} else {
  var node = shippedNode()
  if (!node) {
    fail(
      'nano-gateway needs Node ' +
        LOWEST.join('.') +
        ' or newer; this is ' +
        process.version +
        ' and no bundled Node fits this machine.',
    )
  } else {
    // A small young generation keeps memory low under varied requests, at no measurable cost. So do the allocator's
    // thresholds: without them glibc keeps up to 64 MB of freed memory for each thread.
    // The child exits when this IPC channel closes, so killing the launcher never orphans a gateway.
    var child = require('child_process').spawn(node, ['--max-semi-space-size=4', cli].concat(process.argv.slice(2)), {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env: Object.assign({ MALLOC_TRIM_THRESHOLD_: '2097152', MALLOC_MMAP_THRESHOLD_: '1048576' }, process.env, {
        NANO_GATEWAY_LAUNCHED: '1',
      }),
    })
    var asked = false
    ;['SIGINT', 'SIGTERM', 'SIGHUP'].forEach(function (signal) {
      process.on(signal, function () {
        asked = true
        child.kill(signal)
      })
    })
    child.on('exit', function (code, signal) {
      // If the child was asked to stop before it could handle signals, it has ended as it should.
      process.exit(signal ? (asked && signal !== 'SIGKILL' ? 0 : 1) : code === null ? 1 : code)
    })
  }
}
