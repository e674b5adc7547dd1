"""JavaScript in the sandbox: tools, the shell beside it, and what happens at the limits."""

import json

import pytest

# Each answers with JSON on standard output.
TOOLS = [
    "--tool", "echo_args=cat",
    "--tool", "shop.orders.list=echo [1,2]",
    "--tool", "slow=sh -c 'sleep 5; echo 1'",
    "--tool", "broken=sh -c 'echo no luck >&2; exit 3'",
]  # fmt: skip


def js(pinfold, code, *arguments, **how):
    done = pinfold("-l", "javascript", *arguments, "-c", code, **how)
    return done.stdout + done.stderr


def test_names_of_tools(pinfold):
    code = """
        const calls = [shop.orders.list({}), tools.shop.orders.list({}), tools["shop/orders/list"]({}), shop_orders_list()];
        console.log(await Promise.all(calls), await echo_args({ a: [1, null, "é"], big: 2 ** 53 - 1 }));
    """
    assert js(pinfold, code, *TOOLS) == (
        "[ [ 1, 2 ], [ 1, 2 ], [ 1, 2 ], [ 1, 2 ] ] { a: [ 1, null, 'é' ], big: 9007199254740991 }\n"
    )


@pytest.mark.parametrize(
    "code, message",
    [
        (
            "await echo_args('Paris')",
            "TypeError: echo_args takes one object argument, e.g. echo_args({}); got a string",
        ),
        ("await echo_args(1, 2)", "got 2 arguments"),
        ("await echo_args([1])", "got an array"),
        (
            "const a = {}; a.a = a; await echo_args(a)",
            "the argument is not JSON: Converting circular structure to JSON",
        ),
        ("await tools.echo_arg({})", "there is no tool 'echo_arg'; did you mean echo_args?"),
        ("await shop.orders.lst({})", "did you mean shop.orders.list?"),
        ("getToolInfo('shop.order.list')", "did you mean shop.orders.list?"),
        ("await broken({})", "ToolError: "),
    ],
)
def test_mistakes_in_calls(pinfold, code, message):
    done = pinfold("-l", "javascript", *TOOLS, "-c", code)
    assert done.returncode == 1
    assert message in done.stderr


def test_the_error_of_a_tool_has_the_line_of_its_call(pinfold):
    code = """const a = 1;
await echo_args({ a });
await broken({ a });"""
    done = pinfold("-l", "javascript", *TOOLS, "-c", code)
    assert "ToolError: " in done.stderr
    assert done.stderr.endswith("\n    at [code]:3:7 {\n  code: 'failed'\n}\n")


def test_every_call_has_its_own_line(pinfold):
    code = """
        const twice = async () => {
            const calls = [broken({}), echo_args({}), tools.broken({}),
                broken({}, { signal: new AbortController().signal })];
            const ends = await Promise.allSettled(calls);
            return ends.map(({ reason }) => reason?.stack.match(/at .*/g).join());
        };
        return await twice();
    """
    lines = [[f"at twice ([code]:{place})", "at [code]:8:22"] for place in ("3:28", "3:61", "4:17")]
    wanted = [",".join(each) for each in lines]
    done = pinfold("-l", "javascript", *TOOLS, "-c", code)
    assert json.loads(done.stdout) == [wanted[0], None, *wanted[1:]]


def test_lists_of_tools(pinfold):
    code = "return [listTools().map(t => t.name).sort(), getToolInfo('shop/orders/list').name, Object.keys(tools).length]"
    assert json.loads(js(pinfold, code, *TOOLS)) == [
        ["broken", "echo_args", "shop.orders.list", "slow"], "shop.orders.list", 4,
    ]  # fmt: skip


def test_hundreds_of_calls_in_flight(pinfold):
    code = """
        const all = await Promise.all(Array.from({ length: 300 }, (_, i) => echo_args({ i })));
        return all.every((answer, i) => answer.i === i) && all.length;
    """
    assert js(pinfold, code, *TOOLS) == "300\n"


def test_a_signal_ends_the_waiting(pinfold):
    code = """
        const began = Date.now();
        await slow({}, { signal: AbortSignal.timeout(50) }).catch(e => console.log(e.name));
        const control = new AbortController();
        setTimeout(() => control.abort(new Error('enough')), 20);
        await slow({}, { signal: control.signal }).catch(e => console.log(e.message));
        await slow({}, { signal: AbortSignal.abort('before') }).catch(e => console.log(e));
        console.log(Date.now() - began < 3000);
    """
    assert js(pinfold, code, *TOOLS) == "TimeoutError\nenough\nbefore\ntrue\n"


def test_a_large_result_arrives_whole(pinfold):
    (pinfold.folder / "large.json").write_text(json.dumps("x" * (10 << 20))[: (10 << 20) - 1] + '"')
    code = "return (await large({})).length"
    assert js(pinfold, code, "--tool", "large=cat large.json") == f"{(10 << 20) - 2}\n"


OUT_OF_MEMORY = {
    "arrays": "for (;;) kept.push(new Array(100000).fill(kept.length));",
    "strings": "for (;;) kept.push('y'.repeat(1e6) + kept.length);",
    "buffers": "for (;;) kept.push(Buffer.alloc(1e7, 1));",
    "json": "const text = '[' + '{\"a\":[1,2,3]},'.repeat(4e5) + '1]'; for (;;) kept.push(JSON.parse(text));",
    "a regular expression": "const text = 'ab'.repeat(1e6); for (;;) kept.push(text.match(/./g));",
    "a getter": "const o = { get x() { return new Array(1e6).fill(0); } }; for (;;) kept.push(o.x);",
    "a proxy": "const p = new Proxy({}, { get: () => new Array(1e6).fill(0) }); for (;;) kept.push(p.any);",
    "the parser": "for (;;) kept.push(eval('[' + '1,'.repeat(1e6) + ']'));",
    "names of properties": "kept = {}; for (let i = 0; ; i++) kept['k' + i] = i;",
    "symbols": "for (let i = 0; ; i++) kept.push(Symbol.for('s' + i));",
    "maps": "kept = new Map(); for (let i = 0; ; i++) kept.set('k' + i, { i });",
    "errors": "for (let i = 0; ; i++) kept.push(new TypeError('e' + i));",
    "errors of the engine": "for (;;) try { null.x; } catch (e) { if (e instanceof InternalError) throw e; kept.push(e); }",
    "numbers": "for (let i = 0; ; i++) kept.push((1n << 40000n) + BigInt(i));",
    "small programs": "for (let i = 0; ; i++) kept.push(eval(`({ x${i}: ${i} })`), new Function('a', `return a + ${i}`));",
    "many regular expressions": "for (let i = 0; ; i++) kept.push(new RegExp(`a+(b|c)${i}[x-z]*(?<n>${i})`, 'gi'));",
    "closures": "for (let i = 0; ; i++) kept.push(() => i, function* () { yield i; }, class { #x = i; });",
    "compression": "const zlib = require('zlib'); for (let i = 0; ; i++) kept.push(zlib.gunzipSync(zlib.gzipSync(`a${i}`.padEnd(9000))));",
    "texts of objects": "const { inspect } = require('util'); for (let i = 0; ; i++) kept.push(inspect({ i: [i, { i }] }), new Array(2000).fill(i));",
}


@pytest.mark.parametrize("code", OUT_OF_MEMORY.values(), ids=OUT_OF_MEMORY.keys())
def test_out_of_memory_can_be_caught(pinfold, code):
    program = f"""
        let kept = [];
        try {{ {code} }} catch (error) {{ kept = null; console.log(error instanceof Error, String(error)); }}
        return [1, 2].map(x => x * 2);
    """
    assert (
        js(pinfold, program, "--limit", "process_memory_bytes=64M", "--limit", "cpu_seconds=60")
        == "true InternalError: out of memory\n[2,4]\n"
    )


TOO_DEEP = {
    "calls": "(function f() { f(); })()",
    "getters": "const o = { get x() { return this.x; } }; o.x;",
    "proxies": "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.x;",
    "JSON.parse": "JSON.parse('['.repeat(1e6))",
    "JSON.stringify": "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; JSON.stringify(a);",
    "the parser": "eval('('.repeat(1e5))",
    "regular expressions": "new RegExp('(?:'.repeat(1e5))",
    "toString": "const o = { toString() { return `${this}`; } }; `${o}`;",
    "sort": "(function f() { [2, 1].sort(f); })()",
}


@pytest.mark.parametrize("code", TOO_DEEP.values(), ids=TOO_DEEP.keys())
def test_deep_recursion_can_be_caught(pinfold, code):
    program = (
        f"try {{ {code} }} catch (e) {{ return e instanceof Error && /stack/.test(e.message); }}"
    )
    assert js(pinfold, program) == "true\n"


@pytest.mark.parametrize(
    "code",
    ["for (;;);", "/^(a+)+\\1c$/.test('a'.repeat(40))", "[3, 1, 2].sort(() => { for (;;); })",
     "JSON.parse('[1]', () => { for (;;); })", "const p = () => Promise.resolve().then(p); p(); await new Promise(() => {});"],
)  # fmt: skip
def test_endless_loops_end_at_the_limit(pinfold, code):
    done = pinfold("-l", "javascript", "--limit", "cpu_seconds=0.5", "-c", code)
    assert done.returncode == 137
    assert "cpu_seconds" in done.stderr


def test_a_loop_lets_others_run(pinfold):
    done = pinfold("-c", "js -e 'for (;;);' & sleep 0.1; echo beside; kill $!; wait $!; echo $?")
    assert done.stdout == "beside\n143\n"


def test_pipelines_and_scripts(pinfold):
    script = """
        printf '3\\n1\\n2\\n' | js -e 'process.stdin.on("data", d => process.stdout.write(String(d)))' | sort -n | head -1
        echo '{"a":5}' | node -p 'JSON.parse(require("fs").readFileSync(0, "utf8")).a'
        (sleep 0.1; echo late) | js -e 'console.log(fs.readFileSync("/dev/stdin", "utf8").trim())'
        printf '#!/usr/bin/env node\\nconsole.log(process.argv.slice(2))\\n' > tool.js; chmod +x tool.js; ./tool.js a 'b c'
        js -e 'for (let i = 0; ; i++) console.log(i)' | head -2
        js -e 'process.exit(7)'; echo $?
    """
    assert pinfold("-c", script).stdout == "1\n5\nlate\n[ 'a', 'b c' ]\n0\n1\n7\n"


def test_the_shell_from_javascript(pinfold):
    code = """
        const name = "it's; a $name";
        await $`echo ${name} > ${'out file'}`;
        console.log(await shell.run("cat 'out file'"), (await shell("exit 3")).exitCode);
        for await (const line of $`seq 3`.lines()) console.log(line);
        console.log(require('child_process').execSync('cat *file | wc -l').toString());
        await shell.run("echo bad >&2; false").catch(e => console.log(e.name, e.exitCode, e.stderr));
    """
    assert js(pinfold, code) == "it's; a $name\n 3\n1\n2\n3\n1\n\nShellError 1 bad\n\n"


def test_output_that_is_lost_is_a_failure(pinfold):
    code = """
        js -e 'console.log(1)' > /dev/full; echo $?
        js -e 'console.log(1); process.exit(3)' > /dev/full; echo $?
        js -e 'for (let i = 0; i < 1e5; i++) console.log(i); console.error("done")' > /dev/full; echo $?
        js -e 'console.log(1)' | :
    """
    done = pinfold("-l", "shell", "-c", code)
    assert done.stdout == "1\n3\n1\n"
    lost = "js: output was lost: No space left on device\n"
    assert done.stderr == f"{lost}{lost}done\n{lost}"


def test_a_program_too_large_for_memory(pinfold):
    (pinfold.folder / "large.js").write_text("//" + "x" * (15 << 20) + "\nconsole.log(1)")
    done = pinfold("run", "--limit", "memory_bytes=64M", "large.js")
    assert done.returncode == 1
    assert "out of memory" in done.stderr
