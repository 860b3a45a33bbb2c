// Stands for the benchmark program: what it is told to measure is how it ends.
const [option, name] = process.argv.slice(2);
if (option !== "--in-process") process.exitCode = 9;
else if (name === "good") process.stdout.write("[[1,2]]\n");
else if (name === "failing") process.exitCode = 3;
else if (name === "killed") process.kill(process.pid, "SIGTERM");
