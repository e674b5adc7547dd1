"""The sandbox behind the interfaces that agent frameworks have for one.

Each module needs its framework, and is imported by itself: `deepagents`, `smolagents`, `autogen`,
`langgraph`, `pydantic_ai`, `llama_index`, `strands`, `crewai`, `openai_agents`.
"""
