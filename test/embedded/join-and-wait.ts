/** A program that joins the server of the folder it is given, says so in one line of JSON, and leaves at the end of its stdin. */
import { joinServer } from '../../src/embedded/join-server.ts';

const lease = await joinServer({ dataDir: process.argv[2]! });
process.stdout.write(`${JSON.stringify({ how: lease.how, server: lease.server })}\n`);
process.stdin.resume();
process.stdin.once('end', () => void lease.leave());
