// Everything that a fresh clone needs, in one word: `npm run setup`, also before `npm start` and `npm test`.
// Syntax and imports of this file are such that an old Node reads it, and is refused in a sentence of its own.
var floor = [20, 19];
var version = process.versions.node.split('.').map(Number);

if (version[0] < floor[0] || (version[0] === floor[0] && version[1] < floor[1])) {
  console.error(
    'error: Tributary needs Node ' + floor.join('.') + ' or newer, and this is ' + process.versions.node + '.',
  );
  process.exitCode = 1;
} else {
  import('./set-up.mjs')
    .then(function (steps) {
      return steps.setUp();
    })
    .catch(function (error) {
      console.error('error: ' + error.message);
      process.exitCode = 1;
    });
}
